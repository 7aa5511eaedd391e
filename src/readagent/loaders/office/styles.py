"""What office formats share: the meaning of style names, the title at the start of a text, and formulas as text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import partial

from readagent.loaders.formulas import linear
from readagent.loaders.sandbox.xml import attribute, children, local

CODE, CONTENTS = "code", "contents"
TITLE, AUTHOR, DATE = "title", "author", "date"

_ROLES = {
    "title": TITLE,
    "author": AUTHOR,
    "date": DATE,
    "html preformatted": CODE,
    "macro text": CODE,
    "preformatted text": CODE,
    "source code": CODE,
    "table of figures": CONTENTS,
}
_CONTENTS = re.compile(r"(?:toc|contents) ?(?:\d|heading)")
_HEADING = re.compile(r"heading ?([1-9])")


def role_of(style: str) -> str:
    """Return the role of paragraphs with this style: one of the constants above, or an empty string."""
    name = style.replace("_20_", " ").replace("_5f_", " ").strip().lower()
    return CONTENTS if _CONTENTS.fullmatch(name) else _ROLES.get(name, "")


def heading_of(style: str) -> int:
    """Return the heading level of this style, or 0."""
    found = _HEADING.fullmatch(style.strip().lower())
    return int(found[1]) if found else 0


class Opening:
    """The title at the start of a text, and author and date if they follow it."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def take(self, role: str, text: str, position: int) -> bool:
        """Store a paragraph if it is part of the opening, and return whether it is. ``position`` is its index."""
        first = role == TITLE or (role in (AUTHOR, DATE) and TITLE in self._found)
        if not first or position > 1 or role in self._found or not text.strip():
            return False
        self._found[role] = text
        return True

    def get(self, role: str) -> str:
        """Return the text of a role, or an empty string."""
        return self._found.get(role, "")


def formula_text(formula: ET.Element) -> str:
    """Return a formula in Office MathML or MathML as text; the author's source if that is included."""
    for element in formula.iter():
        if local(element) == "annotation" and (text := " ".join("".join(element.itertext()).split())):
            return text
    return " ".join(_linear(formula).split())


def _linear(element: ET.Element) -> str:
    parts = [(kind, _linear(child)) for kind, child in children(element) if not kind.endswith("Pr")]
    return linear(local(element), parts, partial(_given, element)) if parts else element.text or ""


def _given(element: ET.Element, name: str) -> str | None:
    """Return an attribute of an element, which Office MathML stores in a child: ``<dPr><begChr val="["/></dPr>``."""
    stored = (one for kind, child in children(element) if kind.endswith("Pr") for one in child if local(one) == name)
    return next((attribute(one, "val") for one in stored), element.get(name))
