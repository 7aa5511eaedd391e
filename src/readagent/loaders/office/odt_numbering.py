"""The numbers that an office program prints before paragraphs and headings of an OpenDocument text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from readagent.loaders.office.numbering import Counter, Level
from readagent.loaders.sandbox.xml import attribute, children, local, number, whole

_FORMS = {
    "": "none", "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "01": "decimalZero", "1st": "ordinal", "One": "cardinalText", "First": "ordinalText", "①": "decimalEnclosedCircle",
    "一": "chineseCountingThousand",
}  # fmt: skip
_LEVEL = re.compile(r"list-level-style-\w+|outline-level-style")
_REFERENCE = re.compile(r"%(\d+)%")
_MAX_LEVEL = 10


@dataclass(slots=True)
class Place:
    """Where in lists a paragraph is: the style of the lists, the depth, what counts, and whether it begins an item."""

    style: str = ""
    depth: int = 0
    counter: Counter = field(default_factory=Counter)
    begins: bool = False
    start: int | None = None


class Numbering:
    """Gives paragraphs in lists and headings their numbers, in the order of the text."""

    def __init__(self, roots: Iterable[ET.Element]) -> None:
        self._levels: dict[str, Mapping[int, Level]] = {}
        self._unnumbered = set[str]()  # styles of headings
        self._by_style: dict[str, Counter] = {}
        self._by_id: dict[str, Counter] = {}
        self._outline = Counter()
        for element in (one for root in roots for one in root.iter()):
            name = attribute(element, "name")
            if local(element) == "list-style":
                self._levels[name] = _levels(element)
            elif local(element) == "outline-style":
                self._levels[""] = _levels(element)
            elif local(element) == "style" and any(
                key.endswith("}list-style-name") and not value for key, value in element.attrib.items()
            ):
                self._unnumbered.add(name)

    def opened(self, element: ET.Element, outer: Place) -> Place:
        """Return the place in a list that begins; a list that is not in another one may continue an earlier one."""
        style = attribute(element, "style-name") or outer.style
        outer.begins = False
        if outer.depth:
            return Place(style, outer.depth + 1, outer.counter)
        counter = self._by_id.get(attribute(element, "continue-list"))
        if counter is None and attribute(element, "continue-numbering") == "true":
            counter = self._by_style.get(style)
        counter = counter or Counter()
        self._by_style[style] = counter
        if key := attribute(element, "id"):
            self._by_id[key] = counter
        return Place(style, 1, counter)

    def label(self, element: ET.Element, place: Place, level: int = 0) -> str:
        """Return what is printed before a paragraph, or before a heading of this level."""
        if place.begins:
            place.begins = False
            return self._next(place.style, place.counter, place.depth, place.start)
        if place.depth or not level or attribute(element, "is-list-header") == "true":
            return ""
        if attribute(element, "style-name") in self._unnumbered:
            return ""
        start = whole(attribute(element, "start-value")) if attribute(element, "restart-numbering") == "true" else None
        return self._next("", self._outline, level, start)

    def _next(self, style: str, counter: Counter, depth: int, start: int | None) -> str:
        levels = self._levels.get(style, {})
        return counter.label(levels, depth - 1, start) if depth - 1 in levels else ""


def _levels(style: ET.Element) -> dict[int, Level]:
    found = {number(one, "level", _MAX_LEVEL) - 1: one for kind, one in children(style) if _LEVEL.fullmatch(kind)}
    forms = {depth: _form(one) for depth, one in found.items()}
    return {depth: _level(one, depth, forms) for depth, one in found.items()}


def _form(level: ET.Element) -> str:
    if local(level) not in ("list-level-style-number", "outline-level-style"):
        return "bullet"
    return _FORMS.get(attribute(level, "num-format").split(",")[0].strip(), "decimal")


def _level(level: ET.Element, depth: int, forms: Mapping[int, str]) -> Level:
    text = _REFERENCE.sub(r"%\1", attribute(level, "num-list-format"))
    if not text and forms[depth] != "none":
        shown = range(max(0, depth + 1 - number(level, "display-levels", _MAX_LEVEL)), depth + 1)
        numbers = ".".join(f"%{one + 1}" for one in shown if forms.get(one) not in (None, "none", "bullet"))
        text = f"{attribute(level, 'num-prefix')}{numbers}{attribute(level, 'num-suffix')}"
    start = whole(attribute(level, "start-value"))
    alignment = next((one for one in level.iter() if local(one) == "list-level-label-alignment"), level)
    after = "" if attribute(alignment, "label-followed-by") == "nothing" else " "
    return Level(text, forms[depth], 1 if start is None else start, after=after)
