"""XML parts of office files, parsed only where they are harmless: no entities of their own, no absurd nesting."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from readagent.errors import LoadError

_DEEPEST = 200  # elements in one another; a table within a table within a table stays under 40
_AGAIN = "open it in the program that made it and save it anew"


class _HarmfulError(Exception):
    """Stops the parser."""


class _Builder(ET.TreeBuilder):
    """Builds the tree as long as it is harmless."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _HarmfulError("is nested too deeply")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_: str | None) -> None:
        raise _HarmfulError("declares a document type, which no sound file does")


def element_of(data: bytes, part: str, name: str) -> ET.Element:
    """The root of the XML in these bytes; a LoadError about the part of the file of this name where it is unsound."""
    parser = ET.XMLParser(target=_Builder())
    try:
        parser.feed(data)
        root: ET.Element = parser.close()
    except _HarmfulError as error:
        raise LoadError(f"{name} cannot be read: its part {part} {error}", hint=_AGAIN) from None
    except (ET.ParseError, ValueError, LookupError) as error:  # the others come of odd encodings
        raise LoadError(f"{name} is damaged: its part {part} is no sound XML", hint=_AGAIN) from error
    return root


def local(element: ET.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ET.Element, name: str) -> str:
    """The value of an attribute by its name without namespace, or nothing."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def number(element: ET.Element, name: str, most: int) -> int:
    """The whole number that an attribute says, from 1 up to the most; 1 where it says none."""
    said = attribute(element, name)
    return max(1, min(int(said), most)) if said.isascii() and said.isdigit() and len(said) < 9 else 1


def text_in(root: ET.Element, *names: str) -> str:
    """The text of the first element under the root that has one of these names, the first name first, and any text."""
    for name in names:
        for element in root.iter():
            if local(element) == name and (text := "".join(element.itertext()).strip()):
                return text
    return ""


def day_of(moment: str) -> str:
    """The day of a point in time as office files write it; what does not look like one is left as it is."""
    day, mark, _ = moment.partition("T")
    return day if mark and len(day) == 10 else moment


def children(element: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    """The elements in an element, with their names."""
    for child in element:
        yield local(child), child
