"""FictionBook (.fb2, also zipped): sections with their titles, verse, tables; notes come last, without images."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import partial

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block, compose, prefixed, with_notes
from readagent.loaders.formats import Options
from readagent.loaders.sandbox.archive import GET_AGAIN, Archive
from readagent.loaders.sandbox.xml import attribute, children, element_of, local
from readagent.loaders.tables import Table, table_blocks

_STRAY_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_PARAGRAPHS = frozenset({"p", "v", "text-author", "date"})
_MAX_LEVEL = 6


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a FictionBook as a document."""
    root = element_of(_STRAY_AMPERSAND.sub(b"&amp;", _unzipped(data, name)), "FictionBook", name)
    bodies = [child for kind, child in children(root) if kind == "body"]
    if local(root) != "FictionBook" or not bodies:
        raise LoadError(f"{name} is not a FictionBook: it has no text", hint=GET_AGAIN)
    book = _Book()
    for body in bodies:
        if attribute(body, "name") in ("notes", "comments", "footnotes"):
            book.read_notes(body)
        else:
            book.read(body, 1)
    blocks = book.finish()
    info = next((one for one in root.iter() if local(one) == "title-info"), ET.Element("none"))
    fields = _fields(info)
    known = {
        "author": ", ".join(_person(one) for kind, one in children(info) if kind == "author"),
        "date": fields.get("date", ""),
        "language": fields.get("lang", ""),
    }
    return compose(blocks, title=fields.get("book-title", ""), metadata=known)


def _unzipped(data: bytes, name: str) -> bytes:
    if not data.startswith(b"PK"):
        return data
    archive = Archive(data, name)
    books = [member for member in archive.names() if member.lower().endswith(".fb2")]
    if not books:
        raise LoadError(f"{name} contains no FictionBook", hint=GET_AGAIN)
    return archive.read(books[0])


def _fields(element: ET.Element) -> dict[str, str]:
    return {kind: " ".join("".join(child.itertext()).split()) for kind, child in children(element)}


def _person(author: ET.Element) -> str:
    fields = _fields(author)
    names = [fields[key] for key in ("first-name", "middle-name", "last-name") if fields.get(key)]
    return " ".join(names) or fields.get("nickname", "")


class _Book:
    """Builds the blocks of the bodies of a book, and those of its notes."""

    def __init__(self) -> None:
        self._builder = BlockBuilder()
        self._notes: list[Block] = []

    def finish(self) -> list[Block]:
        """Return all blocks."""
        return with_notes(self._builder.finish(), self._notes)

    def read(self, element: ET.Element, level: int) -> None:
        """Read a body, a section, or an element inside of one; ``level`` is that of its title."""
        for kind, child in children(element):
            if kind == "title":
                self._heading(child, level)
            elif kind == "subtitle":
                self._heading(child, min(level + 1, _MAX_LEVEL))
            elif kind == "section":
                self.read(child, min(level + (local(element) == "section"), _MAX_LEVEL))
            elif kind in _PARAGRAPHS:
                self._paragraph(child)
            elif kind == "stanza":
                self._stanza(child)
            elif kind == "empty-line":
                self._builder.end_paragraph()
            elif kind == "table":
                self._table(child)
            elif kind not in ("image", "binary", "annotation"):
                self.read(child, min(level + 1, _MAX_LEVEL))

    def read_notes(self, body: ET.Element) -> None:
        """Read notes, each with its number before its text."""
        for note in body.iter():
            if local(note) != "section" or any(kind == "section" for kind, _ in children(note)):
                continue
            title = _fields(note).get("title", "")
            blocks = self._aside(partial(self.read, _without_title(note), 2))
            number = title.strip(" []().*")
            self._notes += prefixed(f"{number}. ", blocks) if number else blocks

    def _aside(self, read: Callable[[], object]) -> list[Block]:
        self._builder.begin_aside()
        read()
        return self._builder.end_aside()

    def _heading(self, element: ET.Element, level: int) -> None:
        self._builder.open_heading()
        for _, child in children(element):
            self._inline(child)
            self._builder.text(" ")
        self._builder.text(element.text or "")
        self._builder.close_heading(level)

    def _paragraph(self, element: ET.Element) -> None:
        self._inline(element)
        self._builder.end_paragraph()

    def _stanza(self, element: ET.Element) -> None:
        for kind, child in children(element):
            if kind in ("title", "subtitle"):
                self._paragraph(child)
            else:
                self._inline(child)
                self._builder.line_break()
        self._builder.end_paragraph()

    def _table(self, element: ET.Element) -> None:
        rows = [one for one in element.iter() if local(one) == "tr"]
        cells = [[cell for kind, cell in children(row) if kind in ("td", "th")] for row in rows]
        table = Table(rows=[[self._aside(partial(self._paragraph, cell)) for cell in row] for row in cells])
        self._builder.add_blocks(table_blocks(table))

    def _inline(self, element: ET.Element) -> None:
        """Read the text of a paragraph without the marks of notes."""
        self._builder.text(element.text or "")
        for kind, child in children(element):
            if kind == "a" and attribute(child, "type") == "note":
                self._builder.mark_omission()
            elif kind != "image":
                self._inline(child)
            self._builder.text(child.tail or "")


def _without_title(note: ET.Element) -> ET.Element:
    kept = ET.Element("section")
    kept.extend(child for kind, child in children(note) if kind != "title")
    return kept
