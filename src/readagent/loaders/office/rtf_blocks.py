"""RtfFlow: the blocks that a run of RTF makes, be it the main text, a note or a box.

In RTF it is known only at the end of a paragraph, a cell or a row what it was.
"""

from __future__ import annotations

import re

from readagent.loaders.block_builder import BlockBuilder
from readagent.loaders.blocks import Block
from readagent.loaders.table import Table, table_blocks

_DEEPEST_LIST = 9
_NUMBER = re.compile(r"\(?(\d{1,5})[.)]?")
_BULLETS = frozenset("•·◦▪▫■□●○‣⁃∙*o–-\uf0b7\uf0a7\uf0d8\uf0fc")
_TYPED_MARK = re.compile(r"\s*([•·◦▪‣–]|\d{1,3}[.)])\t\s*")  # where a program writes marks into the text


class RtfFlow:
    """Text comes in pieces; a paragraph, a cell or a row is made when it ends."""

    def __init__(self) -> None:
        self.boxes: list[Block] = []  # what stands beside the paragraph that is being read
        self.mark = ""  # of the item that is being read
        self.largest = 0  # size of the characters in the paragraph that is being read, in half points
        self.typed = True  # whether all of them are a typewriter's
        self._builder = BlockBuilder()
        self._pieces: list[str] = []
        self._cell: list[Block] = []
        self._cells: list[list[Block]] = []
        self._table = Table()
        self._lists: list[bool] = []  # open ones, one in the other, and whether each is numbered
        self._code = False  # whether lines of code are open, to which more may come

    @property
    def count(self) -> int:
        """How many blocks there are so far."""
        return self._builder.position

    def write(self, text: str, *, size: int = 0, typed: bool = False) -> None:
        """Text of the paragraph that is being read, and what it looks like."""
        self._pieces.append(text)
        if not text.isspace():
            self.largest = max(self.largest, size)
            self.typed = self.typed and typed

    def pending(self) -> str:
        """The text of the paragraph that is being read."""
        return _joined("".join(self._pieces))

    def taken(self) -> str:
        """The same, but it is taken away: something else becomes of it."""
        text = self.pending()
        self._pieces.clear()
        self.mark, self.largest, self.typed = "", 0, True
        return text

    def paragraph(self, *, heading: int = 0, code: bool = False, depth: int = 0) -> None:
        """A paragraph ends that stands outside of tables; in a list it may be an item of this depth."""
        mark, text = self.mark, self.taken()
        self._end_table()
        if code:
            self._lines(text)
        elif text.strip():
            self._end_code()
            if heading:
                self._end_lists()
                self._builder.add_blocks([Block(" ".join(f"{mark} {text}".split()), heading=heading)])
            else:
                self._running(mark, text, depth)
        if self.boxes:
            self._end_code()
            self._builder.add_blocks(self.boxes)
            self.boxes = []

    def in_cell(self) -> None:
        """A paragraph ends that stands in a cell."""
        mark, text = self.mark, self.taken()
        if text.strip():
            self._cell.append(Block(f"{mark} {text}".strip(), lines="\n" in text.strip()))

    def cell(self) -> None:
        """A cell ends, and with it a paragraph."""
        self.in_cell()
        self._cells.append(self._cell)
        self._cell = []

    def row(self) -> None:
        """A row ends."""
        if self._cells:
            self._table.rows.append(self._cells)
            self._cells = []

    def finished(self) -> list[Block]:
        """All blocks, when nothing more comes."""
        self.paragraph()
        self._end_code()
        self._end_lists()
        return self._builder.finish()

    def _running(self, mark: str, text: str, depth: int) -> None:
        """Running text, or an item of a list where a mark stands before it."""
        typed = None if mark else _TYPED_MARK.match(text)
        if typed:
            mark, text = typed[1], text[typed.end() :]
        number = _NUMBER.fullmatch(mark)
        if mark in _BULLETS or number:
            self._item(int(number[1]) if number else None, min(depth, _DEEPEST_LIST) + 1)
        else:
            self._end_lists()
            text = f"{mark} {text}" if mark else text
        for place, line in enumerate(text.split("\n")):
            if place:
                self._builder.line_break()
            self._builder.text(line)
        self._builder.end_paragraph()

    def _item(self, number: int | None, depth: int) -> None:
        numbered = number is not None
        while len(self._lists) > depth or (len(self._lists) == depth and self._lists[-1] != numbered):
            self._builder.close_list()
            self._lists.pop()
        while len(self._lists) < depth:
            self._builder.open_list(number)
            self._lists.append(numbered)
        self._builder.open_item(number)

    def _lines(self, text: str) -> None:
        if not self._code:
            self._end_lists()
            self._builder.open_verbatim()
            self._code = True
        self._builder.text(text)
        self._builder.line_break()

    def _end_code(self) -> None:
        if self._code:
            self._code = False
            self._builder.close_verbatim()

    def _end_lists(self) -> None:
        while self._lists:
            self._builder.close_list()
            self._lists.pop()

    def _end_table(self) -> None:
        if self._cell:
            self._cells.append(self._cell)
            self._cell = []
        self.row()
        if self._table.rows:
            self._end_code()
            self._end_lists()
            self._builder.add_blocks(table_blocks(self._table))
            self._table = Table()


def _joined(text: str) -> str:
    """The text with the halves of characters beyond the first plane put together."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
