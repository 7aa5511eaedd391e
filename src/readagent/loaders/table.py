"""Tables: data tables become one line per row, tables used for page layout become their paragraphs."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.core.words import count_words
from readagent.loaders.blocks import Block

_MAX_CELL_WORDS = 80  # a longer cell is running text
_MAX_CELL_LINES = 6  # per block in a cell; a cell with more contains a table or a listing
_MAX_MEAN_WORDS = 25  # per cell of a single column; above this the column is running text


@dataclass(slots=True)
class Table:
    """A table under construction: its caption, and the blocks of each cell of each row."""

    for_layout: bool = False  # declared as a layout table
    formula: bool = False
    caption: list[Block] = field(default_factory=list)
    rows: list[list[list[Block]]] = field(default_factory=list)


def table_blocks(table: Table) -> list[Block]:
    """Return the blocks of a table, its caption first."""
    rows = [row for row in table.rows if any(row)]
    cells = [cell for row in rows for cell in row if cell]
    if table.formula:
        return [*table.caption, *(Block(" ".join(_plain(cell) for cell in row if cell)) for row in rows)]
    if table.for_layout or _is_layout(rows, cells):
        return [*table.caption, *(block for cell in cells for block in cell)]
    lines = [" | ".join(_plain(cell) for cell in row).rstrip("| ") for row in rows]
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
