"""Parse the HTML of a page into a Snapshot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from readagent.loaders.html.tree import TEXT, tree_of, walk, words_in
from readagent.loaders.html.tree import Element as Markup
from readagent_browse.dom import (
    NOT_CONTENT,
    Element,
    Node,
    Snapshot,
    address,
    is_hidden,
    is_interactive,
    kept_attributes,
    label_of,
    option_text,
)
from readagent_browse.material import harmless, is_ours

ID_ATTRIBUTE = "data-readagent-id"
_ID = re.compile(r"0|[1-9][0-9]{0,9}|[A-Za-z]{1,8}[-_]?[0-9]{1,9}")
_TAG = re.compile(r"[a-zA-Z][\w:.-]*")
_MAX_DEPTH = 200  # open elements; ordinary pages have a few dozen
_ICON = re.compile(r"\S*(?:icon|glyph|\bfa-)\S*", re.IGNORECASE)
_NAMES = ("aria-label", "alt", "title", "label", "value", "placeholder", "aria-valuenow")


@dataclass(slots=True)
class DraftNode:
    """A node that is being built. ``tags`` counts its children by tag, for their paths."""

    tag: str
    path: str
    given: Mapping[str, str]
    children: list[DraftNode | str] = field(default_factory=list)
    id: str = ""
    interactive: bool = False
    tags: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class SnapshotBuilder:
    """Receives a tree in page order and builds its snapshot; see ``snapshot_of`` for the settings."""

    id_attribute: str = ID_ATTRIBUTE
    targets: Collection[str] | None = None
    cleaned: bool = False
    title: str = ""
    _open: list[DraftNode] = field(default_factory=lambda: [DraftNode("page", "", {})])
    _taken: set[str] = field(default_factory=set)
    _addresses: dict[str, set[str]] = field(default_factory=dict)  # the addresses that look the same without a query

    def open(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Start an element. Return False if it is left out with everything in it.

        It is called ``x`` if prompts could not show its name, or use it for a tag of their own. What is nested too
        deeply is a part of the element around it.
        """
        tag = tag if _TAG.fullmatch(tag) and not is_ours(tag) else "x"
        parent = self._open[-1]
        parent.tags[tag] += 1
        mark = attributes.get(self.id_attribute, "").strip()
        marked = bool(_ID.fullmatch(mark)) and mark not in self._taken
        wanted = marked and (self.targets is None or mark in self.targets)
        if tag in NOT_CONTENT or not (self.cleaned or (wanted and tag != "dialog") or not is_hidden(tag, attributes)):
            return False
        if len(self._open) > _MAX_DEPTH:
            self._open.append(parent)
            return True
        draft = DraftNode(tag, f"{parent.path}/{tag}[{parent.tags[tag]}]", attributes)
        if href := attributes.get("href", ""):
            self._addresses.setdefault(address(href), set()).add(address(href, query=True))
        if wanted:
            draft.id = mark
            self._taken.add(mark)
        draft.interactive = wanted or (self.targets is None and is_interactive(tag, attributes))
        parent.children.append(draft)
        self._open.append(draft)
        return True

    def text(self, text: str) -> None:
        """Add text to the open element, without anything that can be mistaken for a tag."""
        if shown := harmless(text):
            self._open[-1].children.append(shown)

    def close(self) -> None:
        """End the open element."""
        self._open.pop()

    def build(self) -> Snapshot:
        """Return the snapshot of everything received."""
        page = self._open[0]
        self._number(page, [0])
        (top,) = [child for child in page.children if isinstance(child, DraftNode)][:1] or [page]
        alike = frozenset(short for short, whole in self._addresses.items() if len(whole) > 1)
        root = _node(page if len(page.children) > 1 else top, 0, alike) or Node("html", "/html[1]", 0, {}, ())
        labels = {
            node.attributes["for"]: node.text()
            for node in root.walk()
            if node.tag == "label" and "for" in node.attributes
        }
        return Snapshot(root, tuple(_element(node, labels) for node in root.walk() if node.id), self.title)

    def _number(self, draft: DraftNode, last: list[int]) -> None:
        """Give the next free number to every interactive element without an id."""
        if draft.interactive and not draft.id:
            while str(last[0]) in self._taken:
                last[0] += 1
            draft.id = str(last[0])
            self._taken.add(draft.id)
        for child in draft.children:
            if isinstance(child, DraftNode):
                self._number(child, last)


def _node(draft: DraftNode, depth: int, alike: Collection[str]) -> Node | None:
    """Return the finished node, or None if it is empty and cannot be acted on.

    ``alike`` are addresses that several links have if their queries are left out: those keep them.
    """
    finished = (child if isinstance(child, str) else _node(child, depth + 1, alike) for child in draft.children)
    children = tuple(child for child in finished if child is not None)
    attributes = kept_attributes(draft.given, query=address(draft.given.get("href", "")) in alike)
    if not children and (icon := _ICON.search(draft.given.get("class", ""))) and "alt" not in attributes:
        attributes["alt"] = icon[0]
    if draft.tag == "select" and (selected := _selected(children)):
        attributes["value"] = selected
    if not children and not draft.id and not any(name in attributes for name in _NAMES):
        return None
    return Node(draft.tag, draft.path, depth, attributes, children, draft.id)


def _selected(options: tuple[Node | str, ...]) -> str:
    """Return the text of the selected option of a select, or of all of them."""
    nodes = (node for option in options if isinstance(option, Node) for node in option.walk())
    return " | ".join(node.text() for node in nodes if node.tag == "option" and "selected" in node.attributes)


def _element(node: Node, labels: Mapping[str, str]) -> Element:
    texts = (option_text(option) for option in node.walk() if option.tag == "option")
    options = tuple(dict.fromkeys(text for text in texts if text)) if node.tag == "select" else ()
    return Element(node.id, node.tag, node.attributes, label_of(node, labels), node.path, options)


def snapshot_of(
    html: str,
    id_attribute: str = ID_ATTRIBUTE,
    targets: Collection[str] | None = None,
    *,
    cleaned: bool = False,
) -> Snapshot:
    """Return the page in this HTML, which need not be valid.

    An element's id is the value of ``id_attribute`` if it has a usable one; the other elements that can be acted on are
    numbered in page order. With ``targets`` only the elements with these ids can be acted on. ``cleaned`` means that
    invisible elements were removed before, so that everything left counts as visible.
    """
    builder = SnapshotBuilder(id_attribute, targets, cleaned)
    root = tree_of(html)

    def enter(node: Markup) -> bool:
        tag = node.tag
        if tag == TEXT:
            builder.text(node.text_content or "")
        if tag == "head":
            builder.title = next((words_in(title) for title in node.css("title")), "")
        if tag is None or tag[0] == "-":
            return False
        return builder.open(tag, {name.lower(): value or "" for name, value in node.attributes.items()})

    walk(root, enter, lambda _: builder.close())
    return builder.build()
