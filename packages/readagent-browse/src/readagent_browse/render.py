"""Render the cleaned tree as terse HTML for a model: ids where something can be done, one line per block.

Wrappers that carry neither an id nor a name are omitted, and their content is kept.
"""

from __future__ import annotations

from readagent_browse.dom import Node, option_text

_SHOWN = (
    "type", "name", "role", "aria-label", "aria-description", "label", "title", "alt", "placeholder", "value", "href",
    "checked", "selected", "disabled", "readonly", "required", "aria-checked", "aria-selected", "aria-expanded",
    "aria-current", "aria-valuenow", "multiple", "draggable",
)  # fmt: skip
_NAMING = frozenset({"name", "aria-label", "label", "title", "alt", "placeholder", "value"})
_ALWAYS = frozenset("h1 h2 h3 h4 h5 h6 label form fieldset legend nav header footer main dialog th".split())
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i img ins kbd mark q s samp small span strong sub sup svg text"
    " time u var wbr label".split()
)
_RANGES = frozenset({"slider", "spinbutton", "progressbar", "meter"})
_CELLS = frozenset({"td", "th"})


def render(node: Node) -> str:
    """Return a node with all its content."""
    page = _Lines()
    page.add_node(node)
    return "\n".join(line for part in page.lines if (line := part.strip().removesuffix("|").rstrip()))


def opening_tag(node: Node) -> str:
    """Return the opening tag of a node; empty if the tag says nothing."""
    attributes = [f"{name}={_quoted(value)}" if value else name for name, value in _shown_attributes(node)]
    if not node.id and not attributes and node.tag not in _ALWAYS:
        return ""
    return f"<{' '.join([node.tag, *([f'id={node.id}'] if node.id else []), *attributes])}>"


class _Lines:
    """The lines of a page while it is rendered. After an opening tag the next text is added without a space."""

    def __init__(self) -> None:
        self.lines = [""]
        self._after_tag = False

    def add_node(self, node: Node) -> None:
        """Add a node with all its content."""
        tag = opening_tag(node)
        inline = node.tag in _INLINE or node.tag in _CELLS
        if not inline:
            self.lines.append("")
        if tag:
            self._add(tag, "" if self.lines[-1].endswith(">") else " ")
            self._after_tag = bool(node.children)
        for child in node.children:
            if isinstance(child, str):
                self._add(child, " ")
            elif (
                node.tag in ("select", "optgroup") and child.tag == "option" and not any(one.id for one in child.walk())
            ):
                self._add(option_text(child), " | ")
            else:
                self.add_node(child)
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
        self.lines[-1] = f"{line}{'' if self._after_tag or not line else gap}{text}"
        self._after_tag = False


def _shown_attributes(node: Node) -> list[tuple[str, str]]:
    """Return the attributes to show; an element without any name shows the id or class that the page gives it."""
    found = [(name, node.attributes[name]) for name in _SHOWN if name in node.attributes and _is_useful(node, name)]
    if not node.id:
        return [(name, value) for name, value in found if name in _NAMING or name in ("role", "aria-valuenow")]
    if not node.children and _NAMING.isdisjoint(node.attributes):
        found += [(name, node.attributes[name]) for name in ("id", "class") if name in node.attributes][:1]
    return [("dom" if name == "id" else name, value) for name, value in found]


def _is_useful(node: Node, name: str) -> bool:
    """Return whether an attribute adds to what the tag, the text and the other attributes say."""
    value, attributes = node.attributes[name], node.attributes
    if name == "title":
        return value not in (attributes.get("aria-label"), attributes.get("alt"), node.text())
    if name == "aria-label":
        return value != node.text()
    if name == "role":
        return value != {"a": "link", "button": "button", "input": "textbox"}.get(node.tag)
    if name == "aria-valuenow":
        return attributes.get("role") in _RANGES and value != attributes.get("value")
    return not (name == "type" and (node.tag, value) in (("input", "text"), ("button", "submit")))


def _quoted(value: str) -> str:
    plain = bool(value) and not any(character in " \"'=<>`" for character in value)
    return value if plain else '"' + value.replace('"', "'") + '"'
