"""Find tables, tables of contents and monospaced listings among the lines of a column."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from readagent.loaders.pdf.layout.sheet import Line, Piece

_MIN_GAP = 1.1  # times the font size, between two cells
_MAX_MEAN_CELL = 45  # characters; longer cells on average are running text next to labels

_LEADERS = re.compile(r"\s*(?:[.·…]\s?){6,}\s*(\d{1,4}|[ivxlc]{1,7})$")

Interval = tuple[float, float]


def tables_in(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each table in these lines."""
    start = 0
    while start < len(lines):
        end = _table_end(lines, start) if len(_cells(lines[start])) > 1 else start
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _cells(line: Line) -> list[list[Piece]]:
    """Return the cells of a line, each with its pieces."""
    cells: list[list[Piece]] = []
    for piece in line.cells:
        if cells and piece.left - cells[-1][-1].right < _MIN_GAP * piece.size:
            cells[-1].append(piece)
        else:
            cells.append([piece])
    return cells


def _intervals(line: Line) -> list[Interval]:
    return [(cell[0].left, cell[-1].right) for cell in _cells(line)]


def _table_end(lines: Sequence[Line], start: int) -> int:
    """Return the end of the table that begins with this line, or ``start`` if none does."""
    columns = _intervals(lines[start])
    rows, end = 1, start + 1
    while end < len(lines):
        line = lines[end]
        if line.base - lines[end - 1].base > 3.5 * line.size:
            break
        cells = _intervals(line)
        merged = _merged([*columns, *cells])
        if len(merged) < max(2, min(len(columns), 3)):
            break
        if len(cells) == 1 and (merged != _merged(columns) or cells[0][0] < columns[0][1]):
            break
        rows += len(cells) > 1
        columns, end = merged, end + 1
    while end > start and len(_cells(lines[end - 1])) == 1 and lines[end - 1].left <= columns[0][0] + 1:
        end -= 1
    enough = rows >= 3 or (rows == 2 and len(columns) >= 3)
    return end if enough and _short_cells(lines[start:end], len(columns)) else start


def _merged(intervals: Sequence[Interval]) -> list[Interval]:
    merged: list[Interval] = []
    for left, right in sorted(intervals):
        if merged and left < merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return merged


def _short_cells(lines: Sequence[Line], columns: int) -> bool:
    characters = sum(len(line.text) for line in lines)
    return characters <= _MAX_MEAN_CELL * columns * len(lines) and (columns > 2 or characters < 70 * len(lines))


def rows_of(lines: Sequence[Line]) -> list[list[str]]:
    """Return the rows of a table; a line without a first cell continues the cells above."""
    columns = _merged([interval for line in lines if len(_cells(line)) > 1 for interval in _intervals(line)])
    distances = [below.base - above.base for above, below in itertools.pairwise(lines)]
    least = min(distances, default=0.0)
    padded = max(distances, default=0.0) > 1.25 * least  # the gaps between rows are wider than those inside a cell
    rows: list[list[str]] = []
    for number, line in enumerate(lines):
        cells = [""] * len(columns)
        for piece in line.cells:
            place = _place(piece, columns)
            cells[place] = f"{cells[place]} {piece.text}".strip()
        continues = bool(rows) and (not cells[0] or (padded and distances[number - 1] < 1.15 * least))
        if continues:
            rows[-1] = [_joined(old, new) for old, new in zip(rows[-1], cells, strict=True)]
        else:
            rows.append(cells)
    return rows


def markdown_of(lines: Sequence[Line]) -> str:
    """Return a table as Markdown; its first row is the head."""
    head, *rows = [[cell.replace("|", "\\|") for cell in row] for row in rows_of(lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def _place(piece: Piece, columns: Sequence[Interval]) -> int:
    middle = (piece.left + piece.right) / 2
    return min(range(len(columns)), key=lambda i: max(columns[i][0] - middle, middle - columns[i][1], 0))


def _joined(text: str, more: str) -> str:
    if text.endswith("\u00ad") or (text.endswith("-") and more[:1].islower()):
        return text[:-1] + more
    return f"{text} {more}".strip()


def contents_in(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each table of contents: lines with dot leaders and page numbers."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _LEADERS.search(lines[end].text):
            end += 1
        if end > start:
            yield start, end
        start = max(end, start + 1)


def contents_of(lines: Sequence[Line]) -> str:
    """Return the lines of a table of contents with short dot leaders."""
    return "\n".join(_LEADERS.sub(r" … \1", line.text) for line in lines)


def listings_in(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each listing: two or more monospaced lines."""
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and lines[end].mono and (end == start or _adjacent(lines[end - 1], lines[end])):
            end += 1
        if end - start > 1:
            yield start, end
        start = max(end, start + 1)


def _adjacent(above: Line, below: Line) -> bool:
    return 0 < below.base - above.base < 3.2 * above.size


def listing_of(lines: Sequence[Line]) -> str:
    """Return the lines of a listing with their indentation."""
    left, width = min(line.left for line in lines), 0.6 * lines[0].size
    return "\n".join(" " * min(60, round((line.left - left) / width)) + line.text for line in lines)
