"""Parse untrusted XML safely: no document type declarations, limited nesting."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

from readagent.errors import LoadError

_MAX_DEPTH = 200  # of nested elements; three nested tables stay below 40
_SAVE_AGAIN = "open it in the program that made it and save it again"


class _UnsafeXmlError(Exception):
    """Stops the parser."""


class _Builder(ET.TreeBuilder):
    """Builds the tree, and stops if the XML is not safe."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _UnsafeXmlError("is nested too deeply")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        self._depth -= 1
        return super().end(tag)

    def doctype(self, *_: str | None) -> None:
        raise _UnsafeXmlError("declares a document type")


def element_of(data: bytes, part: str, name: str) -> ET.Element:
    """Return the root element of a part of the file ``name``; raise LoadError if it is invalid or unsafe."""
    root: ET.Element = _parse(data, part, name, ET.XMLParser(target=_Builder()))
    return root


class Events:
    """Receives the start and end of each element and its text, for parts that are too large for a tree.

    Tags come without namespace.
    """

    _depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _UnsafeXmlError("is nested too deeply")
        self.opened(tag.rpartition("}")[2], attributes)

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        self._depth -= 1
        self.closed(tag.rpartition("}")[2])

    def data(self, text: str) -> None:
        """Handle a piece of text."""

    def doctype(self, *_: str | None) -> None:
        """Refuse a document type declaration."""
        raise _UnsafeXmlError("declares a document type")

    def close(self) -> None:
        """Handle the end of the part."""

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element, by its name without namespace."""
        raise NotImplementedError

    def closed(self, tag: str) -> None:
        """Handle the end of an element, by its name without namespace."""
        raise NotImplementedError


def read_events(data: bytes, part: str, name: str, events: Events) -> None:
    """Parse a part of the file ``name`` and send its elements to ``events``; raises LoadError as ``element_of``."""
    _parse(data, part, name, ET.XMLParser(target=events))


def _parse(data: bytes, part: str, name: str, parser: Any) -> Any:
    try:
        parser.feed(data)
        return parser.close()
    except _UnsafeXmlError as error:
        raise LoadError(f"{name} could not be read: its part {part} {error}", hint=_SAVE_AGAIN) from None
    except (ET.ParseError, ValueError, LookupError) as error:  # the last two are caused by odd encodings
        raise LoadError(f"{name} is damaged: its part {part} is not valid XML", hint=_SAVE_AGAIN) from error


def local(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ET.Element, name: str) -> str:
    """Return the value of an attribute by its name without namespace, or an empty string."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def whole(text: str) -> int | None:
    """Return the whole number that a text is, None if it is none or has more than eight digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def number(element: ET.Element, name: str, maximum: int) -> int:
    """Return the whole number in an attribute, limited to 1 to ``maximum``; 1 if it is none."""
    return max(1, min(whole(attribute(element, name)) or 1, maximum))


def text_in(root: ET.Element, *names: str) -> str:
    """Return the text of the first non-empty element below the root with one of these names, in their order."""
    for name in names:
        for element in root.iter():
            if local(element) == name and (text := "".join(element.itertext()).strip()):
                return text
    return ""


def day_of(timestamp: str) -> str:
    """Return the day of an ISO timestamp; anything else is returned unchanged."""
    day, separator, _ = timestamp.partition("T")
    return day if separator and len(day) == 10 else timestamp


def children(element: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    """Yield the children of an element with their names."""
    for child in element:
        yield local(child), child
