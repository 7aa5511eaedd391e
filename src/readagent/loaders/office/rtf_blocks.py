"""Build the blocks of an RTF text, note or text box.

In RTF, the kind of a paragraph, cell or row is known only at its end.
"""

from __future__ import annotations

import re

from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block
from readagent.loaders.office.numbering import BULLETS
from readagent.loaders.tables import Table, table_blocks

_BULLET_SIGNS = frozenset("•·◦▪▫■□●○‣⁃∙*o–-\uf0b7\uf0a7\uf0d8\uf0fc")
_LITERAL_BULLET = re.compile(r"\s*([•·◦▪‣–])\t\s*")  # written into the text by some programs


class RtfBlocks:
    """Collects text, and builds a paragraph, cell or row when it ends."""

    def __init__(self) -> None:
        self.boxes: list[Block] = []  # text boxes anchored in the current paragraph
        self.marker = ""  # of the current list item
        self.max_size = 0  # of the characters in the current paragraph, in half points
        self.monospaced = True  # whether all of them are monospaced
        self._builder = BlockBuilder()
        self._pieces: list[str] = []
        self._cell: list[Block] = []
        self._cells: list[list[Block]] = []
        self._table = Table()
        self._code = False  # whether a block of code is open, to which lines may be added

    @property
    def count(self) -> int:
        """The number of blocks so far."""
        return self._builder.position

    def write(self, text: str, *, size: int = 0, monospaced: bool = False) -> None:
        """Add text to the current paragraph."""
        self._pieces.append(text)
        if not text.isspace():
            self.max_size = max(self.max_size, size)
            self.monospaced = self.monospaced and monospaced

    def pending(self) -> str:
        """Return the text of the current paragraph."""
        return _with_surrogates_joined("".join(self._pieces))

    def take(self) -> str:
        """Remove and return the text of the current paragraph."""
        text = self.pending()
        self._pieces.clear()
        self.marker, self.max_size, self.monospaced = "", 0, True
        return text

    def end_paragraph(self, *, heading: int = 0, code: bool = False, depth: int = 0) -> None:
        """End a paragraph outside of tables; it may be a list item of this depth."""
        marker, text = self.marker, self.take()
        self._end_table()
        if code:
            self._lines(text)
        elif text.strip():
            self._end_code()
            if heading:
                self._builder.add_blocks([Block(" ".join(f"{marker} {text}".split()), heading=heading)])
            else:
                self._running(marker, text, depth)
        if self.boxes:
            self._end_code()
            self._builder.add_blocks(self.boxes)
            self.boxes = []

    def end_cell_paragraph(self) -> None:
        """End a paragraph inside a cell."""
        marker, text = self.marker, self.take()
        if text.strip():
            self._cell.append(Block(f"{marker} {text}".strip(), lines="\n" in text.strip()))

    def end_cell(self) -> None:
        """End a cell and its last paragraph."""
        self.end_cell_paragraph()
        self._cells.append(self._cell)
        self._cell = []

    def end_row(self) -> None:
        """End a row."""
        if self._cells:
            self._table.rows.append(self._cells)
            self._cells = []

    def finish(self) -> list[Block]:
        """End everything and return all blocks."""
        self.end_paragraph()
        self._end_code()
        return self._builder.finish()

    def _running(self, marker: str, text: str, depth: int) -> None:
        """Add running text, with the number or the bullet of a list item as they are written in the file."""
        literal = None if marker else _LITERAL_BULLET.match(text)
        if literal:
            marker, text = literal[1], text[literal.end() :]
        if marker in _BULLET_SIGNS:
            marker = BULLETS[min(depth, 2)]
        for index, line in enumerate(f"{marker} {text}".strip().split("\n")):
            if index:
                self._builder.line_break()
            self._builder.text(line)
        self._builder.end_paragraph()

    def _lines(self, text: str) -> None:
        if not self._code:
            self._builder.open_verbatim()
            self._code = True
        self._builder.text(text)
        self._builder.line_break()

    def _end_code(self) -> None:
        if self._code:
            self._code = False
            self._builder.close_verbatim()

    def _end_table(self) -> None:
        if self._cell:
            self._cells.append(self._cell)
            self._cell = []
        self.end_row()
        if self._table.rows:
            self._end_code()
            self._builder.add_blocks(table_blocks(self._table))
            self._table = Table()


def _with_surrogates_joined(text: str) -> str:
    """Combine surrogate pairs into characters."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
