"""The blocks of an OpenDocument text, found in one walk over its elements."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block
from readagent.loaders.office.formula import written
from readagent.loaders.office.styles import AUTHOR, CODE, CONTENTS, DATE, TITLE, Opening, role_of
from readagent.loaders.office.xml import attribute, children, local, number
from readagent.loaders.table import Table, table_blocks

_SPACE = re.compile(r"[ \t\r\n]+")
_MOST_SPACES = 200  # in one go
_DEEPEST_HEADING = 10
_LARGEST_NUMBER = 100_000  # of an item
_UNREAD = frozenset(
    "tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index "
    "object-index user-index sequence-decls variable-decls user-field-decls dde-connection-decls forms binary-data "
    "hidden-text hidden-paragraph ruby-text script object object-ole number".split()
)


def blocks_in(
    body: ET.Element, roots: list[ET.Element], formula: Callable[[str], str]
) -> tuple[list[Block], list[Block], Opening]:
    """The blocks of the text, those of its notes, and what it opens with; the roots have the styles."""
    walk = _Walk(roots, formula)
    walk.through(body)
    return walk.finished(), walk.notes, walk.opening


class _Walk:
    """Goes through a text. Notes and frames are put aside where they are met."""

    def __init__(self, roots: list[ET.Element], formula: Callable[[str], str]) -> None:
        self.opening = Opening()
        self.notes: list[Block] = []
        self._builder = BlockBuilder()
        self._formula = formula
        self._frames: list[ET.Element] = []
        self._apart = 0  # how deep in cells and notes
        self._code = False  # whether lines of code are open, to which more may come
        self._noted = 0
        styles = [one for root in roots for one in root.iter() if local(one) == "style"]
        self._parents = {attribute(style, "name"): attribute(style, "parent-style-name") for style in styles}
        self._hidden = {attribute(style, "name") for style in styles if _hides(style)}
        self._numbered = _numbered(roots)
        self._next: dict[tuple[str, int], int] = {}  # where lists ended, should another go on

    def finished(self) -> list[Block]:
        """All blocks."""
        self._end_code()
        return self._builder.finish()

    def through(self, element: ET.Element, style: str = "", depth: int = 0) -> None:
        """Read what is in an element, which may stand so deep in lists of this style."""
        for kind, child in children(element):
            own = attribute(child, "style-name")
            if self._is_unread(child):
                continue
            if kind == "h":
                self._heading(child)
            elif kind == "p":
                self._paragraph(child, role_of(own) or role_of(self._parents.get(own, "")))
            elif kind == "table":
                self._table(child)
            elif kind == "list":
                self._list(child, own or style, depth + 1)
            elif kind == "list-item":
                self._builder.open_item(_start(child))
                self.through(child, style, depth)
                self._end_code()
                self._builder.close_item()
            else:
                self.through(child, style, depth)

    def _is_unread(self, element: ET.Element) -> bool:
        described = "svg-compatible:1.0}" in element.tag  # what a picture shows
        return local(element) in _UNREAD or described or attribute(element, "style-name") in self._hidden

    def _list(self, element: ET.Element, style: str, depth: int) -> None:
        self._end_code()
        first = self._numbered.get((style, depth))
        if first is not None and (
            attribute(element, "continue-numbering") == "true" or attribute(element, "continue-list")
        ):
            first = self._next.get((style, depth), first)
        self._builder.open_list(first)
        self.through(element, style, depth)
        self._builder.close_list()
        if first is not None:
            self._next[style, depth] = first + sum(kind == "list-item" for kind, _ in children(element))

    def _heading(self, element: ET.Element) -> None:
        self._end_code()
        self._builder.open_heading()
        self._inline(element)
        self._builder.close_heading(number(element, "outline-level", _DEEPEST_HEADING))
        self._read_frames()

    def _paragraph(self, element: ET.Element, role: str) -> None:
        if role == CODE:
            if not self._code:
                self._builder.open_verbatim()
                self._code = True
            self._inline(element)
            self._builder.line_break()
            return
        self._end_code()
        if role in (TITLE, AUTHOR, DATE):
            self._named(element, role)
        elif role != CONTENTS:
            self._inline(element)
            self._builder.end_paragraph()
        self._read_frames()

    def _named(self, element: ET.Element, role: str) -> None:
        """A paragraph with which the text opens, or which is called so further on."""
        blocks = self._apart_from_text(partial(self._inline, element))
        said = " ".join(block.text for block in blocks)
        if self._apart or not self.opening.takes(role, said, self._builder.position):
            self._builder.add_blocks([Block(said, heading=int(role == TITLE))] if said else [])

    def _end_code(self) -> None:
        if self._code:
            self._code = False
            self._builder.close_verbatim()

    def _read_frames(self) -> None:
        """What stands in the frames that are anchored in a paragraph comes after it."""
        frames, self._frames = self._frames, []
        for frame in frames:
            self.through(frame)

    def _apart_from_text(self, reading: Callable[[], None]) -> list[Block]:
        """The blocks of something that stands apart: a cell, a note."""
        code, frames, self._code, self._frames = self._code, self._frames, False, []
        self._builder.begin_aside()
        self._apart += 1
        reading()
        self._end_code()
        self._apart -= 1
        self._code, self._frames = code, [*frames, *self._frames]
        return self._builder.end_aside()

    def _table(self, element: ET.Element) -> None:
        self._end_code()
        self._builder.end_paragraph()
        table = Table()
        self._rows(element, table)
        self._builder.add_blocks(table_blocks(table))

    def _rows(self, element: ET.Element, table: Table) -> None:
        for kind, child in children(element):
            if kind == "table-row":
                cells = [cell for name, cell in children(child) if name == "table-cell"]
                table.rows.append([self._apart_from_text(partial(self.through, cell)) for cell in cells])
            elif not self._is_unread(child):
                self._rows(child, table)

    def _inline(self, element: ET.Element) -> None:
        """The text in a paragraph, with its line breaks; notes and frames are put aside."""
        builder = self._builder
        builder.text(_SPACE.sub(" ", element.text or ""))
        for kind, child in children(element):
            if kind == "s":
                builder.text(" " * number(child, "c", _MOST_SPACES))
            elif kind == "tab":
                builder.text("\t")
            elif kind == "line-break":
                builder.line_break()
            elif kind == "note":
                self._note(child)
            elif "drawing:1.0}" in child.tag:
                self._frame(child)
            elif not self._is_unread(child):
                self._inline(child)
            builder.text(_SPACE.sub(" ", child.tail or ""))

    def _frame(self, frame: ET.Element) -> None:
        """A formula is part of the text; anything else is read after the paragraph."""
        for kind, child in children(frame):
            if kind == "object":
                formula = next((one for one in child.iter() if local(one) == "math"), None)
                self._builder.text(written(formula) if formula is not None else self._formula(attribute(child, "href")))
                return
        self._frames.append(frame)

    def _note(self, note: ET.Element) -> None:
        """A note is put aside under its number."""
        self._noted += 1
        body = next((child for kind, child in children(note) if kind == "note-body"), ET.Element("none"))
        blocks = self._apart_from_text(partial(self.through, body))
        if blocks:
            self.notes += [replace(blocks[0], text=f"{self._noted}. {blocks[0].text}"), *blocks[1:]]


def _hides(style: ET.Element) -> bool:
    return any(attribute(one, "display") == "none" for one in style)


def _start(item: ET.Element) -> int | None:
    return number(item, "start-value", _LARGEST_NUMBER) if attribute(item, "start-value") else None


def _numbered(roots: list[ET.Element]) -> dict[tuple[str, int], int]:
    """The first number of lists of each style and depth, where they are numbered."""
    styles = (one for root in roots for one in root.iter() if local(one) == "list-style")
    return {
        (attribute(style, "name"), number(level, "level", 99)): number(level, "start-value", _LARGEST_NUMBER)
        for style in styles
        for kind, level in children(style)
        if kind == "list-level-style-number" and attribute(level, "num-format")
    }
