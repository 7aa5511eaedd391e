"""The cleaned tree as a model sees it: terse HTML, with ids where something can be done and nothing that says nothing.

Wrappers that carry neither an id nor a name are left out, and what is in them stays; one line a block.
"""

from __future__ import annotations

from collections.abc import Mapping

from readagent.webnav.dom import Node

_TOLD = (
    "type", "name", "role", "aria-label", "aria-description", "label", "title", "alt", "placeholder", "value", "href",
    "checked", "selected", "disabled", "readonly", "required", "aria-checked", "aria-selected", "aria-expanded",
    "aria-current",
)  # fmt: skip
_NAMING = frozenset({"name", "aria-label", "label", "title", "alt", "placeholder", "value"})
_ALWAYS = frozenset("h1 h2 h3 h4 h5 h6 label form fieldset legend nav header footer main dialog th".split())
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i img ins kbd mark q s samp small span strong sub sup svg text"
    " time u var wbr label".split()
)
_CELLS = frozenset({"td", "th"})
_LABEL = 100  # characters of what an element is called


def render(node: Node) -> str:
    """A node with all that is in it."""
    page = _Lines()
    page.show(node)
    return "\n".join(line for part in page.lines if (line := part.strip().removesuffix("|").rstrip()))


def opening_tag(node: Node) -> str:
    """The opening tag of a node; empty where it says nothing."""
    attributes = [f"{name}={_quoted(value)}" if value else name for name, value in _told(node)]
    if not node.id and not attributes and node.tag not in _ALWAYS:
        return ""
    return f"<{' '.join([node.tag, *([f'id={node.id}'] if node.id else []), *attributes])}>"


class _Lines:
    """Lines in the making. ``_glued``: what comes next follows an opening tag, and needs no space before it."""

    def __init__(self) -> None:
        self.lines = [""]
        self._glued = False

    def show(self, node: Node) -> None:
        """Add a node with all that is in it."""
        tag = opening_tag(node)
        inline = node.tag in _INLINE or node.tag in _CELLS
        if not inline:
            self.lines.append("")
        if tag:
            self._add(tag, "" if self.lines[-1].endswith(">") else " ")
            self._glued = bool(node.children)
        for child in node.children:
            if isinstance(child, str):
                self._add(child, " ")
            elif (
                node.tag in ("select", "optgroup") and child.tag == "option" and not any(one.id for one in child.walk())
            ):
                self._add(option_text(child), " | ")
            else:
                self.show(child)
        if tag and node.children:
            self._add(f"</{node.tag}>", "")
        if node.tag in _CELLS:
            self.lines[-1] += " |"
        if not inline:
            self.lines.append("")

    def _add(self, text: str, gap: str) -> None:
        line = self.lines[-1]
        if line.endswith("|"):
            gap = " "
        self.lines[-1] = f"{line}{'' if self._glued or not line else gap}{text}"
        self._glued = False


def option_text(node: Node) -> str:
    """What an option says."""
    return node.text() or node.attributes.get("label", "") or node.attributes.get("value", "")


def _add(lines: list[str], text: str, gap: str) -> None:
    line = lines[-1]
    lines[-1] = f"{line}{gap if line and not line.endswith((' ', '|')) else ' ' if line.endswith('|') else ''}{text}"


def _told(node: Node) -> list[tuple[str, str]]:
    """The attributes that are shown; what has no name at all is told by the page's own id or class."""
    found = [(name, node.attributes[name]) for name in _TOLD if name in node.attributes and _says(node, name)]
    if not node.id:
        return [(name, value) for name, value in found if name in _NAMING or name == "role"]
    if not node.children and _NAMING.isdisjoint(node.attributes):
        found += [(name, node.attributes[name]) for name in ("id", "class") if name in node.attributes][:1]
    return [("dom" if name == "id" else name, value) for name, value in found]


def _says(node: Node, name: str) -> bool:
    """Whether an attribute tells more than the tag and the rest does."""
    value, attributes = node.attributes[name], node.attributes
    if name == "title":
        return value not in (attributes.get("aria-label"), attributes.get("alt"), node.text())
    if name == "aria-label":
        return value != node.text()
    if name == "role":
        return value != {"a": "link", "button": "button", "input": "textbox"}.get(node.tag)
    return not (name == "type" and value in ("text", "submit") and node.tag in ("input", "button"))


def _quoted(value: str) -> str:
    plain = bool(value) and not any(character in " \"'=<>`" for character in value)
    return value if plain else '"' + value.replace('"', "'") + '"'


def label_of(node: Node, labels: Mapping[str, str]) -> str:
    """What an element is called, in a few words: its label, its text, or what else names it."""
    attributes = node.attributes
    pressed = node.tag == "input" and attributes.get("type", "").lower() in ("submit", "button", "reset")
    told = (
        attributes.get("aria-label", ""),
        labels.get(attributes.get("id", ""), ""),
        attributes.get("value", "") if pressed else "",
        "" if node.tag == "select" else node.text(),
        next((child.attributes["alt"] for child in node.walk() if "alt" in child.attributes), ""),
        *(attributes.get(name, "") for name in ("placeholder", "title", "label", "name", "value", "id", "class")),
        node.tag,
    )
    return " ".join(next(one for one in told if one).split()[:12])[:_LABEL]
