"""Tables: one line per row; long ones are cut into parts with the header row, layout tables become their paragraphs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from readagent.core.words import count_words
from readagent.loaders.blocks import Block
from readagent.loaders.formats import MAX_CHARACTERS, too_long

_MAX_CELL_WORDS = 80  # a longer cell is running text
_MAX_CELL_LINES = 6  # per block in a cell; a cell with more contains a table or a listing
_MAX_COVERED = 50  # columns
_MAX_MEAN_WORDS = 25  # per cell of a single column; above this the column is running text


@dataclass(slots=True)
class Table:
    """A table under construction: its caption, and the blocks of each cell of each row."""

    for_layout: bool = False  # declared as a layout table
    formula: bool = False
    caption: list[Block] = field(default_factory=list)
    rows: list[list[list[Block]]] = field(default_factory=list)
    covered: dict[int, int] = field(default_factory=dict)  # by column: from this row on, how many rows a cell covers

    def add_row(self) -> None:
        """Begin a row."""
        self.rows.append([])
        self.covered = {column: rows - 1 for column, rows in self.covered.items() if rows > 1}

    def add_cell(self, cell: list[Block], *, columns: int = 1, rows: int = 1) -> None:
        """Add a cell that covers this many columns and rows; empty cells stand where others cover its row."""
        if not self.rows:
            self.add_row()
        row = self.rows[-1]
        while len(row) in self.covered:
            row.append([])
        if columns > 1 or rows > 1:
            last = min(len(row) + columns, _MAX_COVERED)
            self.covered |= dict.fromkeys(range(len(row), last), rows)
        row.append(cell)


def table_blocks(table: Table) -> list[Block]:
    """Return the blocks of a table, its caption first."""
    rows = [row for row in table.rows if any(row)]
    cells = [cell for row in rows for cell in row if cell]
    if table.formula:
        return [*table.caption, *(Block(" ".join(_plain(cell) for cell in row if cell)) for row in rows)]
    if table.for_layout or _is_layout(rows, cells):
        return [*table.caption, *(block for cell in cells for block in cell)]
    used = sorted({column for row in rows for column, cell in enumerate(row) if cell})
    shown = ([_plain(row[column]) for column in used if column < len(row)] for row in rows)
    lines = [" | ".join(row).rstrip("| ") for row in shown]
    return [*table.caption, Block("\n".join(lines), lines=True)] if lines else table.caption


def _is_layout(rows: list[list[list[Block]]], cells: list[list[Block]]) -> bool:
    if len(cells) < 2:
        return True
    if any(block.heading or block.text.count("\n") >= _MAX_CELL_LINES for cell in cells for block in cell):
        return True
    words = [sum(count_words(block.text) for block in cell) for cell in cells]
    one_column = max(len(row) for row in rows) == 1
    return max(words) > _MAX_CELL_WORDS or (one_column and sum(words) > _MAX_MEAN_WORDS * len(cells))


def _plain(cell: list[Block]) -> str:
    return " ".join(" ".join(block.text.split()) for block in cell)


_PART_WORDS = 200  # of rows in one block; two or three blocks fill a page
_HEADER_SHARE = 4  # a block has at least this many times the words of its header
_MAX_LABEL_WORDS = 12  # in a cell of the header
_MAX_TITLE_ROWS = 6  # with a single cell, above the header
_NUMBER = re.compile(r"[-+−(]?\W{0,3}\d[\d.,:/T\s%)Ee+-]*\W{0,3}(?:[A-Z]{3})?")


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its number, from 1, the text of its cells, and whether people see it."""

    number: int
    cells: Sequence[str]
    hidden: bool = False


def grid_blocks(rows: Iterable[Row], name: str) -> list[Block]:
    """Return the blocks of a table; empty rows and columns are left out, hidden rows are marked.

    ``name`` is the file, for messages.
    """
    kept = [Row(row.number, cells, row.hidden) for row in rows if (cells := _tidied(row.cells))]
    used = sorted({column for row in kept for column, cell in enumerate(row.cells) if cell})
    lines = list[str]()
    size = 0
    for row in kept:
        shown = [row.cells[column] for column in used[: bisect_left(used, len(row.cells))]]
        lines.append(" | ".join([*shown, "(hidden row)"] if row.hidden else shown))
        size += len(lines[-1])
        if size > MAX_CHARACTERS:
            raise too_long(name, MAX_CHARACTERS)
    headers = set(_headers(kept))
    starts = list(_starts(lines, headers))
    header: int | None = None
    blocks = []
    for first, last in pairwise([*starts, len(kept)]):
        header = first if first in headers else header
        repeated = [lines[header]] if header is not None and header < first else []
        numbers = kept[first].number, kept[last - 1].number
        place = f"rows {numbers[0]}-{numbers[1]}" if numbers[0] < numbers[1] else f"row {numbers[0]}"
        blocks.append(Block("\n".join([*repeated, *lines[first:last]]), place=place, lines=True))
    return blocks


def _starts(lines: Sequence[str], headers: set[int]) -> Iterator[int]:
    """Yield the index of the first row of each block."""
    words = header_words = 0
    for index, line in enumerate(lines):
        if index == 0 or index in headers or words >= max(_PART_WORDS, _HEADER_SHARE * header_words):
            yield index
            words = 0
        words += len(line.split())
        header_words = len(line.split()) if index in headers else header_words


def _headers(rows: Sequence[Row]) -> Iterator[int]:
    """Yield the index of each row that names the columns of the rows below it.

    The first one may follow rows with a single cell, such as a title. Another one may follow an empty row.
    """
    found = titles = 0
    for index, row in enumerate(rows[:-1]):
        after_gap = index > 0 and row.number > rows[index - 1].number + 1
        titles = 0 if after_gap else titles
        if index == 0 or after_gap or 0 < titles <= _MAX_TITLE_ROWS:
            filled = [cell for cell in row.cells if cell]
            if len(filled) == 1:
                titles += 1
                continue
            below = rows[index + 1]
            follows = below.number == row.number + 1 and (not found or any(map(_NUMBER.fullmatch, below.cells)))
            if follows and all(_is_label(cell) for cell in filled):
                found += 1
                yield index
        titles = 0


def _is_label(cell: str) -> bool:
    return not _NUMBER.fullmatch(cell) and len(cell.split()) <= _MAX_LABEL_WORDS


def _tidied(cells: Sequence[str]) -> list[str]:
    """Return the cells with single spaces, up to the last one that is not empty."""
    tidied = [" ".join(cell.split()) for cell in cells]
    while tidied and not tidied[-1]:
        tidied.pop()
    return tidied
