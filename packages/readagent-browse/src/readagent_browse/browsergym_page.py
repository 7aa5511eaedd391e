"""The page of a BrowserGym observation as HTML: what is rendered, with the ids that BrowserGym gave.

An observation has the page as a snapshot of the DevTools protocol (``DOMSnapshot.captureSnapshot``): nodes as lists of
numbers, which point into a list of strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from readagent_browse.dom import is_interactive

BID = "bid"  # the attribute in which BrowserGym puts its ids
_OURS = ("browsergym_visibility_ratio", "browsergym_set_of_marks")
_DROPPED = frozenset("script style noscript template head meta link object embed".split())
_UNRENDERED = frozenset("option optgroup".split())  # a closed list shows none of them, and all can be selected
_VOID = frozenset("input img br hr area wbr col track source".split())
_WHOLE = frozenset(("html", "body"))
_ELEMENT, _TEXT = 1, 3


def page_of(snapshot: Mapping[str, Any]) -> tuple[str, frozenset[str]]:
    """Return the HTML of a snapshot, and the ids of the elements that can be acted on."""
    usable: set[str] = set()
    html = _Document(snapshot, 0, usable).html() if snapshot["documents"] else ""
    return html, frozenset(usable)


class _Document:
    """One document of a snapshot: the page, or a frame in it."""

    def __init__(self, snapshot: Mapping[str, Any], number: int, usable: set[str]) -> None:
        document = snapshot["documents"][number]
        self._snapshot = snapshot
        self._strings: list[str] = snapshot["strings"]
        self._nodes: Mapping[str, Any] = document["nodes"]
        self._rendered = frozenset(document["layout"]["nodeIndex"])
        self._clickable = frozenset(self._nodes.get("isClickable", {}).get("index", ()))
        frames = self._nodes.get("contentDocumentIndex", {"index": [], "value": []})
        self._frames: dict[int, int] = dict(zip(frames["index"], frames["value"], strict=True))
        self._usable = usable
        self._children: dict[int, list[int]] = {}
        for node, parent in enumerate(self._nodes["parentIndex"]):
            self._children.setdefault(parent, []).append(node)

    def html(self) -> str:
        """Return the document as HTML."""
        return "".join(self._node(node) for node in self._children.get(-1, []))

    def _node(self, node: int) -> str:
        kind = self._nodes["nodeType"][node]
        if kind == _TEXT:
            return escape(self._text(self._nodes["nodeValue"][node])) if node in self._rendered else ""
        if kind != _ELEMENT:
            return self._inner(node)
        tag = self._text(self._nodes["nodeName"][node]).lower()
        if tag in _DROPPED or tag.startswith("::"):  # ::before and its like have no element
            return ""
        if tag in _UNRENDERED:
            return self._tag(tag, node, escape(self._whole_text(node)) if tag == "option" else self._inner(node))
        if node not in self._rendered:
            return self._inner(node)
        return self._tag(tag, node, self._inner(node))

    def _inner(self, node: int) -> str:
        inner = "".join(map(self._node, self._children.get(node, [])))
        frame = self._frames.get(node)
        return inner if frame is None else inner + _Document(self._snapshot, frame, self._usable).html()

    def _tag(self, tag: str, node: int, inner: str) -> str:
        attributes = self._attributes(node)
        if attributes.get("type", "").lower() == "password" and attributes.pop("value", ""):
            attributes["aria-description"] = "filled in, and hidden"
        if tag == "textarea":
            inner = escape(attributes.pop("value", ""))
        if tag not in _WHOLE and self._is_usable(tag, node, attributes):
            self._usable.add(attributes.get(BID, ""))
        name = "section" if tag in ("iframe", "frame") else "div" if tag in _WHOLE else tag
        written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
        return f"<{name}{written}>" if tag in _VOID else f"<{name}{written}>{inner}</{name}>"

    def _is_usable(self, tag: str, node: int, attributes: Mapping[str, str]) -> bool:
        """Return whether an element listens to clicks or can be focused, as items of menus can."""
        return node in self._clickable or is_interactive(tag, attributes) or "tabindex" in attributes

    def _attributes(self, node: int) -> dict[str, str]:
        listed = [self._text(number) for number in self._nodes["attributes"][node]]
        pairs = zip(listed[::2], listed[1::2], strict=True)
        return {name: value for name, value in pairs if name not in _OURS and name.replace("-", "").isidentifier()}

    def _whole_text(self, node: int) -> str:
        texts = [self._text(self._nodes["nodeValue"][one]) for one in self._children.get(node, [])]
        return " ".join(" ".join(texts).split())

    def _text(self, number: int) -> str:
        return self._strings[number] if number >= 0 else ""
