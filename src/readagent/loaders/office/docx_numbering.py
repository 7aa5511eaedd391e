"""The numbers that Word prints before paragraphs and headings, from its list definitions and styles."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from readagent.loaders.office.numbering import Counter, Level
from readagent.loaders.sandbox.xml import attribute, children, local, whole

_SUFFIXES = {"nothing": "", "space": " "}
_OFF = ("0", "false", "off")
_MAX_BASES = 50  # styles that a style is based on


@dataclass(frozen=True, slots=True)
class _List:
    """A list of the file: the definition that it counts with, its levels, and numbers that it starts with."""

    counted_with: str
    levels: Mapping[int, Level]
    starts: Mapping[int, int]


class Numbering:
    """Gives each paragraph its number, in the order of the text."""

    def __init__(self, definitions: ET.Element, styles: Mapping[str, ET.Element]) -> None:
        self._styles = {key: dict(_properties(style)) for key, style in styles.items()}
        self._bases = {key: _value(dict(children(style)), "basedOn") for key, style in styles.items()}
        self._definitions = {
            attribute(one, "abstractNumId"): one for kind, one in children(definitions) if kind == "abstractNum"
        }
        self._by_style_link = {
            link: key for key, one in self._definitions.items() if (link := _value(dict(children(one)), "styleLink"))
        }
        self._lists = {attribute(one, "numId"): self._list(one) for kind, one in children(definitions) if kind == "num"}
        self._counters: dict[str, Counter] = {}
        self._started = set[tuple[str, int]]()

    def label(self, paragraph: ET.Element, style: str) -> str:
        """Return what is printed before the next paragraph; ``style`` is the id of its style."""
        properties = dict(_properties(paragraph))
        list_id, depth = self._place(properties, style)
        found = self._lists.get(list_id)
        if found is None or depth not in found.levels or "del" in dict(_inside(properties, "rPr")):
            return ""
        is_first = (list_id, depth) not in self._started
        self._started.add((list_id, depth))
        counter = self._counters.setdefault(found.counted_with, Counter())
        return counter.label(found.levels, depth, found.starts.get(depth) if is_first else None)

    def _place(self, properties: Mapping[str, ET.Element], style: str) -> tuple[str, int]:
        """Return the list of a paragraph and its depth, as the paragraph says or else its style."""
        list_id, depth = _numbers_of(properties)
        seen = 0
        while (not list_id or depth is None) and style in self._styles and seen < _MAX_BASES:
            of_style, of_depth = _numbers_of(self._styles[style])
            if not list_id and of_style:
                list_id = of_style
                depth = self._linked(of_style, style) if depth is None else depth
            depth = of_depth if depth is None else depth
            style, seen = self._bases.get(style, ""), seen + 1
        return list_id, depth or 0

    def _linked(self, list_id: str, style: str) -> int | None:
        """Return the depth of the level that belongs to a style."""
        one = self._definitions.get(self._lists[list_id].counted_with) if list_id in self._lists else None
        for kind, level in children(one) if one is not None else ():
            if kind == "lvl" and _value(dict(children(level)), "pStyle") == style:
                return whole(attribute(level, "ilvl"))
        return None

    def _list(self, num: ET.Element) -> _List:
        key = _value(dict(children(num)), "abstractNumId")
        link = _value(dict(children(self._definitions.get(key, _NOTHING))), "numStyleLink")
        key = self._by_style_link.get(link, key)
        levels = dict(_levels(self._definitions.get(key, _NOTHING)))
        starts = {}
        for kind, override in children(num):
            if kind == "lvlOverride" and (depth := whole(attribute(override, "ilvl"))) is not None:
                levels |= dict(_levels(override))
                if (start := whole(_value(dict(children(override)), "startOverride"))) is not None:
                    starts[depth] = start
        return _List(key, levels, starts)


_NOTHING = ET.Element("none")


def _levels(element: ET.Element) -> Iterator[tuple[int, Level]]:
    for kind, level in children(element):
        if kind == "lvl":
            fields = {local(one): one for one in level.iter() if local(one) != "numFmt" or "format" not in one.attrib}
            depth = whole(attribute(level, "ilvl")) or 0
            start, restart = (whole(_value(fields, name)) for name in ("start", "lvlRestart"))
            hidden = "vanish" in fields and _value(fields, "vanish") not in _OFF
            text = _value(fields, "lvlText") if "lvlText" in fields else f"%{depth + 1}."
            yield (
                depth,
                Level(
                    "" if hidden else text,
                    "none" if hidden else _value(fields, "numFmt") or "decimal",
                    1 if start is None else start,
                    depth if restart is None else restart,
                    "isLgl" in fields and _value(fields, "isLgl") not in _OFF,
                    _SUFFIXES.get(_value(fields, "suff"), " "),
                ),
            )


def _properties(element: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    return _inside(dict(children(element)), "pPr")


def _inside(fields: Mapping[str, ET.Element], name: str) -> Iterator[tuple[str, ET.Element]]:
    return children(fields.get(name, _NOTHING))


def _numbers_of(properties: Mapping[str, ET.Element]) -> tuple[str, int | None]:
    fields = dict(_inside(properties, "numPr"))
    return _value(fields, "numId"), whole(_value(fields, "ilvl"))


def _value(fields: Mapping[str, ET.Element], name: str) -> str:
    return attribute(fields[name], "val") if name in fields else ""
