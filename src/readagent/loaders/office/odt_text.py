"""Build the blocks of an OpenDocument text in one walk over its elements."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block, prefixed
from readagent.loaders.office.numbering import BULLETS
from readagent.loaders.office.odt_numbering import Numbering, Place
from readagent.loaders.office.styles import AUTHOR, CODE, CONTENTS, DATE, TITLE, Opening, formula_text, role_of
from readagent.loaders.sandbox.xml import attribute, children, local, number, whole
from readagent.loaders.tables import Table, table_blocks

_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 200  # in one element
_MAX_HEADING_LEVEL = 10
_MAX_SPANNED = 1_000_000  # columns or rows of a cell
_IGNORED = frozenset(
    "tracked-changes annotation annotation-end table-of-content alphabetical-index illustration-index table-index "
    "object-index user-index sequence-decls variable-decls user-field-decls dde-connection-decls forms binary-data "
    "hidden-text hidden-paragraph ruby-text script object object-ole number".split()
)


def blocks_in(
    body: ET.Element, roots: list[ET.Element], formula: Callable[[str], str]
) -> tuple[list[Block], list[Block], Opening]:
    """Return the blocks of the text, those of its notes, and its opening; ``roots`` contain the styles."""
    walker = _Walker(roots, formula)
    walker.walk(body)
    return walker.finish(), walker.notes, walker.opening


class _Walker:
    """Walks over a text. Notes and frames are collected separately."""

    def __init__(self, roots: list[ET.Element], formula: Callable[[str], str]) -> None:
        self.opening = Opening()
        self.notes: list[Block] = []
        self._builder = BlockBuilder()
        self._formula = formula
        self._frames: list[ET.Element] = []
        self._asides = 0  # open cells and notes
        self._code = False  # whether a block of code is open, to which lines may be added
        self._note_count = 0
        styles = [one for root in roots for one in root.iter() if local(one) == "style"]
        self._parents = {attribute(style, "name"): attribute(style, "parent-style-name") for style in styles}
        self._hidden = {attribute(style, "name") for style in styles if _hides(style)}
        self._numbering = Numbering(roots)

    def finish(self) -> list[Block]:
        """Return all blocks."""
        self._end_code()
        return self._builder.finish()

    def walk(self, element: ET.Element, place: Place | None = None) -> None:
        """Read the children of an element; ``place`` is where in lists it is."""
        place = place or Place()
        for kind, child in children(element):
            own = attribute(child, "style-name")
            if self._is_ignored(child):
                continue
            if kind == "h":
                self._heading(child, place)
            elif kind == "p":
                self._paragraph(child, role_of(own) or role_of(self._parents.get(own, "")), place)
            elif kind == "table":
                self._table(child)
            elif kind == "list":
                self._builder.end_paragraph()
                self.walk(child, self._numbering.opened(child, place))
            elif kind == "list-item":
                start = whole(attribute(child, "start-value"))
                style = attribute(child, "style-override") or place.style
                self.walk(child, replace(place, style=style, begins=True, start=start))
            else:
                self.walk(child, place)

    def _is_ignored(self, element: ET.Element) -> bool:
        is_description = "svg-compatible:1.0}" in element.tag  # the description of an image
        return local(element) in _IGNORED or is_description or attribute(element, "style-name") in self._hidden

    def _heading(self, element: ET.Element, place: Place) -> None:
        self._end_code()
        level = number(element, "outline-level", _MAX_HEADING_LEVEL)
        self._builder.open_heading()
        self._builder.text(self._numbering.label(element, place, level))
        self._inline(element)
        self._builder.close_heading(level)
        self._read_frames()

    def _paragraph(self, element: ET.Element, role: str, place: Place) -> None:
        if role == CODE:
            if not self._code:
                self._builder.open_verbatim()
                self._code = True
            self._inline(element)
            self._builder.line_break()
            return
        self._end_code()
        if role in (TITLE, AUTHOR, DATE):
            self._opening_paragraph(element, role)
        elif role != CONTENTS:
            label = self._numbering.label(element, place)
            if label[:1] not in BULLETS or "".join(element.itertext()).strip():
                self._builder.text(label)
            self._inline(element)
            self._builder.end_paragraph()
        self._read_frames()

    def _opening_paragraph(self, element: ET.Element, role: str) -> None:
        """Read a title, author or date; only at the start of the text is it part of the opening."""
        blocks = self._read_aside(partial(self._inline, element))
        text = " ".join(block.text for block in blocks)
        if self._asides or not self.opening.take(role, text, self._builder.position):
            self._builder.add_blocks([Block(text, heading=int(role == TITLE))] if text else [])

    def _end_code(self) -> None:
        if self._code:
            self._code = False
            self._builder.close_verbatim()

    def _read_frames(self) -> None:
        """Read the frames anchored in a paragraph, after it."""
        frames, self._frames = self._frames, []
        for frame in frames:
            self.walk(frame)

    def _read_aside(self, read: Callable[[], None]) -> list[Block]:
        """Return the blocks of an aside: a cell or a note."""
        code, frames, self._code, self._frames = self._code, self._frames, False, []
        self._builder.begin_aside()
        self._asides += 1
        read()
        self._end_code()
        self._asides -= 1
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
                table.add_row()
                for cell in (one for name, one in children(child) if name == "table-cell"):
                    columns, rows = (number(cell, f"number-{of}-spanned", _MAX_SPANNED) for of in ("columns", "rows"))
                    table.add_cell(self._read_aside(partial(self.walk, cell)), columns=columns, rows=rows)
            elif not self._is_ignored(child):
                self._rows(child, table)

    def _inline(self, element: ET.Element) -> None:
        """Read the text in a paragraph with its line breaks; notes and frames are collected separately."""
        builder = self._builder
        builder.text(_SPACE.sub(" ", element.text or ""))
        for kind, child in children(element):
            if kind == "s":
                builder.text(" " * number(child, "c", _MAX_SPACES))
            elif kind == "tab":
                builder.text("\t")
            elif kind == "line-break":
                builder.line_break()
            elif kind == "note":
                self._note(child)
            elif "drawing:1.0}" in child.tag:
                self._frame(child)
            elif not self._is_ignored(child):
                self._inline(child)
            builder.text(_SPACE.sub(" ", child.tail or ""))

    def _frame(self, frame: ET.Element) -> None:
        """Read a formula as part of the text; any other frame is read after the paragraph."""
        for kind, child in children(frame):
            if kind == "object":
                formula = next((one for one in child.iter() if local(one) == "math"), None)
                self._builder.text(
                    formula_text(formula) if formula is not None else self._formula(attribute(child, "href"))
                )
                return
        self._frames.append(frame)

    def _note(self, note: ET.Element) -> None:
        """Collect a note under its number."""
        self._note_count += 1
        body = next((child for kind, child in children(note) if kind == "note-body"), ET.Element("none"))
        blocks = self._read_aside(partial(self.walk, body))
        self.notes += prefixed(f"{self._note_count}. ", blocks)


def _hides(style: ET.Element) -> bool:
    return any(attribute(one, "display") == "none" for one in style)
