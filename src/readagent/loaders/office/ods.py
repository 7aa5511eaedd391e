"""OpenDocument spreadsheets: each sheet is a section, its cells are shown as the program shows them.

Only days are written in one form: 2024-03-01.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from readagent.loaders.blocks import Block
from readagent.loaders.formats import MAX_CHARACTERS, too_long
from readagent.loaders.sandbox.xml import attribute, children, local, number
from readagent.loaders.tables import Row, grid_blocks

_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?.*)?")
_MAX_ROWS = 1_048_576
_MAX_COLUMNS = 16_384


def sheet_blocks(body: ET.Element, name: str) -> Iterator[Block]:
    """Yield the blocks of all sheets."""
    for kind, table in children(body):
        blocks = grid_blocks(_rows(table, name), name) if kind == "table" else []
        if blocks:
            yield Block(attribute(table, "name") or "Sheet", heading=1)
            yield from blocks
            yield from _comments(table)


def _comments(table: ET.Element) -> Iterator[Block]:
    for one in table.iter():
        if local(one) == "annotation":
            yield Block("Comment: " + " ".join("".join(p.itertext()) for kind, p in children(one) if kind == "p"))


def _rows(table: ET.Element, name: str) -> Iterator[Row]:
    """Yield the rows that have text. Equal rows and cells are stored once, with their number."""
    at, size = 1, 0
    for row in _row_elements(table):
        times = number(row, "number-rows-repeated", _MAX_ROWS)
        cells = _cells(row)
        for offset in range(times if cells else 0):
            size += sum(map(len, cells)) + len(cells)
            if size > MAX_CHARACTERS:
                raise too_long(name, MAX_CHARACTERS)
            yield Row(at + offset, cells, hidden=attribute(row, "visibility") in ("collapse", "filter"))
        at += times


def _row_elements(element: ET.Element) -> Iterator[ET.Element]:
    for kind, child in children(element):
        if kind == "table-row":
            yield child
        elif kind in _GROUPS:
            yield from _row_elements(child)


def _cells(row: ET.Element) -> list[str]:
    """Return the texts of a row, without the empty cells at its end."""
    cells: list[str] = []
    empty = 0
    for kind, cell in children(row):
        if kind not in ("table-cell", "covered-table-cell"):
            continue
        times = min(number(cell, "number-columns-repeated", _MAX_COLUMNS), _MAX_COLUMNS - len(cells) - empty)
        shown = " ".join("".join(one.itertext()) for one in cell if local(one) == "p")
        text = _date(cell, shown) or shown
        if text.strip():
            cells += [""] * empty + [text] * times
            empty = 0
        else:
            empty += times
    return cells


def _date(cell: ET.Element, shown: str) -> str:
    """Return the date of a cell, with the time if that is shown; "" if it has none, or only month or year are shown."""
    date = _DATE.fullmatch(attribute(cell, "date-value")) if attribute(cell, "value-type") == "date" else None
    if date is None or len(re.findall(r"\d+", shown)) < 2:
        return ""
    seconds = (date[3] or "") if shown.count(":") > 1 else ""
    return f"{date[1]} {date[2]}{seconds}" if ":" in shown and date[2] else date[1]
