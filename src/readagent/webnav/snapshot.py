"""From the HTML of a page to its Snapshot: the tree cleaned, and an id for each element that can be acted on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from readagent.loaders.html.tree import TEXT, tree_of, walk, words_in
from readagent.loaders.html.tree import Element as Markup
from readagent.webnav.clean import NO_PAGE, is_interactive, is_unseen, kept
from readagent.webnav.dom import Element, Node, Snapshot
from readagent.webnav.show import label_of, option_text

ID_ATTRIBUTE = "data-readagent-id"
_ID = re.compile(r"0|[1-9][0-9]{0,9}|[A-Za-z]{1,8}[-_]?[0-9]{1,9}")
_TAG = re.compile(r"[a-zA-Z][\w:.-]*")
_ICON = re.compile(r"\S*(?:icon|glyph|\bfa-)\S*", re.IGNORECASE)
_NAMES = ("aria-label", "alt", "title", "label", "value", "placeholder")


def snapshot_of(
    html: str,
    id_attribute: str = ID_ATTRIBUTE,
    targets: Collection[str] | None = None,
    *,
    cleaned: bool = False,
) -> Snapshot:
    """The page in this HTML, whatever state it is in.

    An element's id is the value of ``id_attribute`` where it carries one that can be named; other elements that can be
    acted on are numbered in the order of the page. With ``targets`` only the elements with these ids can be acted on.
    ``cleaned`` says that what is unseen was taken out before, so that all that is left is to be seen.
    """
    drawing = Drawing(id_attribute, targets, cleaned)
    root = tree_of(html)

    def enter(node: Markup) -> bool:
        tag = node.tag
        if tag == TEXT:
            drawing.text(node.text_content or "")
        if tag == "head":
            drawing.title = next((words_in(one) for one in node.css("title")), "")
        if tag is None or tag[0] == "-":
            return False
        return drawing.open(tag, {name.lower(): value or "" for name, value in node.attributes.items()})

    walk(root, enter, lambda _: drawing.close())
    return drawing.done()


@dataclass(slots=True)
class Draft:
    """A node in the making."""

    tag: str
    path: str
    given: Mapping[str, str]
    children: list[Draft | str] = field(default_factory=list)
    id: str = ""
    acts: bool = False
    tags: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Drawing:
    """Takes in a tree, element by element in the order of the page, and makes a snapshot of it."""

    id_attribute: str = ID_ATTRIBUTE
    targets: Collection[str] | None = None
    cleaned: bool = False
    title: str = ""
    _open: list[Draft] = field(default_factory=lambda: [Draft("page", "", {})])
    _taken: set[str] = field(default_factory=set)

    def open(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """An element begins; False where it is left out with all that is in it."""
        tag = tag if _TAG.fullmatch(tag) else "x"
        above = self._open[-1]
        above.tags[tag] += 1
        mark = attributes.get(self.id_attribute, "").strip()
        marked = bool(_ID.fullmatch(mark)) and mark not in self._taken
        wanted = marked and (self.targets is None or mark in self.targets)
        if tag in NO_PAGE or not (self.cleaned or (wanted and tag != "dialog") or not is_unseen(tag, attributes)):
            return False
        draft = Draft(tag, f"{above.path}/{tag}[{above.tags[tag]}]", attributes)
        if wanted:
            draft.id = mark
            self._taken.add(mark)
        draft.acts = wanted or (self.targets is None and is_interactive(tag, attributes))
        above.children.append(draft)
        self._open.append(draft)
        return True

    def text(self, text: str) -> None:
        """Text in the element that is open; it cannot pass for a tag."""
        if text.strip():
            self._open[-1].children.append(" ".join(text.replace("<", "‹").split()))

    def close(self) -> None:
        """The element that is open ends."""
        self._open.pop()

    def done(self) -> Snapshot:
        """The snapshot of all that was taken in."""
        page = self._open[0]
        self._number(page, [0])
        (top,) = [child for child in page.children if isinstance(child, Draft)][:1] or [page]
        root = _node(page if len(page.children) > 1 else top, 0) or Node("html", "/html[1]", 0, {}, ())
        labels = {
            node.attributes["for"]: node.text()
            for node in root.walk()
            if node.tag == "label" and "for" in node.attributes
        }
        return Snapshot(root, tuple(_element(node, labels) for node in root.walk() if node.id), self.title)

    def _number(self, draft: Draft, last: list[int]) -> None:
        """Give an id to whatever can be acted on and has none: the next number that is free."""
        if draft.acts and not draft.id:
            while str(last[0]) in self._taken:
                last[0] += 1
            draft.id = str(last[0])
            self._taken.add(draft.id)
        for child in draft.children:
            if isinstance(child, Draft):
                self._number(child, last)


def _node(draft: Draft, depth: int) -> Node | None:
    """The finished node; None where there is nothing in it and nothing can be done with it."""
    made = (child if isinstance(child, str) else _node(child, depth + 1) for child in draft.children)
    children = tuple(child for child in made if child is not None)
    attributes = kept(draft.given)
    if not children and (icon := _ICON.search(draft.given.get("class", ""))) and "alt" not in attributes:
        attributes["alt"] = icon[0]
    if draft.tag == "select" and (chosen := _chosen(children)):
        attributes["value"] = chosen
    if not children and not draft.id and not any(name in attributes for name in _NAMES):
        return None
    return Node(draft.tag, draft.path, depth, attributes, children, draft.id)


def _chosen(options: tuple[Node | str, ...]) -> str:
    """The option of a select that is chosen."""
    nodes = (node for option in options if isinstance(option, Node) for node in option.walk())
    return next((node.text() for node in nodes if node.tag == "option" and "selected" in node.attributes), "")


def _element(node: Node, labels: Mapping[str, str]) -> Element:
    told = (option_text(one) for one in node.walk() if one.tag == "option")
    options = tuple(dict.fromkeys(option for option in told if option)) if node.tag == "select" else ()
    return Element(node.id, node.tag, node.attributes, label_of(node, labels), node.path, options)
