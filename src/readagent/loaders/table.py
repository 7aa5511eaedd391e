"""Tables: rows of figures and short texts as lines, a row a line; what only lays out a page as its paragraphs."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.core.words import count_words
from readagent.loaders.blocks import Block

_LONGEST_CELL = 80  # words; a cell with more is a text of its own
_MOST_LINES = 6  # of one block in a cell; a cell with more holds a table or a listing
_ONE_COLUMN = 25  # words of a cell, at the mean, from which on a single column is running text


@dataclass(slots=True)
class Table:
    """An open table: its caption, and the blocks of each cell of each row."""

    laid_out: bool = False  # it says of itself that it holds no data
    formula: bool = False
    caption: list[Block] = field(default_factory=list)
    rows: list[list[list[Block]]] = field(default_factory=list)


def table_blocks(table: Table) -> list[Block]:
    """The blocks of a table, its caption first."""
    rows = [row for row in table.rows if any(row)]
    cells = [cell for row in rows for cell in row if cell]
    if table.formula:
        return [*table.caption, *(Block(" ".join(_plain(cell) for cell in row if cell)) for row in rows)]
    if table.laid_out or _is_layout(rows, cells):
        return [*table.caption, *(block for cell in cells for block in cell)]
    lines = [" | ".join(_plain(cell) for cell in row).rstrip("| ") for row in rows]
    return [*table.caption, Block("\n".join(lines), lines=True)] if lines else table.caption


def _is_layout(rows: list[list[list[Block]]], cells: list[list[Block]]) -> bool:
    if len(cells) < 2 or any(block.heading or block.text.count("\n") >= _MOST_LINES for one in cells for block in one):
        return True
    words = [sum(count_words(block.text) for block in cell) for cell in cells]
    one_column = max(len(row) for row in rows) == 1
    return max(words) > _LONGEST_CELL or (one_column and sum(words) > _ONE_COLUMN * len(cells))


def _plain(cell: list[Block]) -> str:
    return " ".join(" ".join(block.text.split()) for block in cell)
