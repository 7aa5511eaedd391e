"""Find the reading order of a sheet: columns, and text that spans them; tables are not columns.

A vertical stripe that lines side by side leave free is a gutter if the file contains one side after the other, or if
both sides are running text. Text across the gutter divides the columns: what is above it is read first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from readagent.loaders.pdf.layout.sheet import Column, Piece, Sheet, joined, lines_of

LABEL = re.compile(r"[•◦▪‣·○●■□–*-]|\[\d{1,3}\]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]")  # marker of a list item
_MIN_GUTTER = 4.0  # points between two columns
_MAX_DEPTH = 6  # of nested splits
_MAX_CANDIDATES = 4  # stripes examined
_MAX_COMPARED = 100  # pieces side by side
_SHORT = 16  # characters; a column with shorter lines belongs to a table
_RUNNING = 28  # characters; longer, mostly full lines are columns even if the file has them row by row


@dataclass(frozen=True, slots=True)
class _Gap:
    """A gap between two pieces side by side."""

    left: Piece
    right: Piece


def columns_of(sheet: Sheet) -> list[Column]:
    """Return the columns of a sheet, and the text that spans them, in reading order."""
    return [_column(sheet.number, group) for group in _split(_with_labels(sheet.pieces), 0)]


def _column(number: int, pieces: Sequence[Piece]) -> Column:
    lines = [replace(line, sheet=number) for line in lines_of(pieces)]
    return Column(number, min(line.left for line in lines), max(line.right for line in lines), tuple(lines))


def _with_labels(pieces: Sequence[Piece]) -> list[Piece]:
    """Join list markers with their items, so that the gap between them is not taken for a gutter."""
    found: list[Piece] = []
    for piece in pieces:
        if found and LABEL.fullmatch(found[-1].text) and _right_of(found[-1], piece):
            found[-1] = joined([found[-1], piece])
        else:
            found.append(piece)
    return found


def _right_of(label: Piece, piece: Piece) -> bool:
    return abs(piece.base - label.base) < 0.3 * piece.size and 0 < piece.left - label.right < 4 * piece.size


def _split(pieces: list[Piece], depth: int) -> Iterator[list[Piece]]:
    """Yield groups of pieces, each a column or text across columns, in reading order."""
    rows = _rows_in_file(pieces)
    gutter = _gutter(pieces, rows) if depth < _MAX_DEPTH else None
    if gutter is None and depth < _MAX_DEPTH:  # the file may contain two columns line by line across both
        rows = {piece.order: number for number, piece in enumerate(pieces)}
        gutter = _gutter(pieces, rows)
    if gutter is None:
        if pieces:
            yield pieces
        return
    crossing = {row for row, members in enumerate(_members(pieces, rows)) if _crosses(members, gutter)}
    across = [piece for piece in pieces if rows[piece.order] in crossing]
    in_columns = [piece for piece in pieces if rows[piece.order] not in crossing]
    for band, columns in _bands(across, in_columns, gutter):
        if band:
            yield from _split(band, depth + 1)
        yield from _split([piece for piece in columns if piece.right <= gutter + 1], depth + 1)
        yield from _split([piece for piece in columns if piece.right > gutter + 1], depth + 1)


def _rows_in_file(pieces: list[Piece]) -> dict[int, int]:
    """Return the row number of each piece, by its order: pieces on one baseline that follow each other in the file."""
    rows: dict[int, int] = {}
    number, before = -1, None
    for piece in sorted(pieces, key=lambda piece: piece.order):
        if before is None or abs(piece.base - before.base) > 0.25 * piece.size or piece.left < before.right:
            number += 1
        rows[piece.order] = number
        before = piece
    return rows


def _members(pieces: list[Piece], rows: dict[int, int]) -> list[list[Piece]]:
    members: list[list[Piece]] = [[] for _ in range(len(set(rows.values())))]
    for piece in pieces:
        members[rows[piece.order]].append(piece)
    return members


def _crosses(row: list[Piece], gutter: float) -> bool:
    return min(piece.left for piece in row) < gutter - 1 and max(piece.right for piece in row) > gutter + 1


def _bands(across: list[Piece], in_columns: list[Piece], gutter: float) -> Iterator[tuple[list[Piece], list[Piece]]]:
    """Yield from top to bottom: text across the gutter, and the columns below it."""
    across = sorted(across, key=lambda piece: piece.base)
    rest = sorted(in_columns, key=lambda piece: piece.base)
    band: list[Piece] = []
    index = 0
    for piece in across:
        above: list[Piece] = []
        while index < len(rest) and rest[index].base < piece.base - 0.3 * piece.size:
            above.append(rest[index])
            index += 1
        if above:
            tail, columns, head = _ends(band, above, piece, gutter)
            yield [*band, *tail], columns
            band = head
        band.append(piece)
    tail, columns, _ = _ends(band, rest[index:], None, gutter)
    yield [*band, *tail], columns


def _ends(
    band: list[Piece], in_columns: list[Piece], following: Piece | None, gutter: float
) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Separate short lines of the text across the gutter from the columns: its last lines, columns, next first lines.

    A line with nothing right of the gutter that directly follows text across the gutter is the last line of that text;
    or the first line of the text below, if that is closer.
    """
    rows = _rows(in_columns)
    start, end = 0, len(rows)
    before = band[-1] if band else None
    while before and start < end and _is_left_only(rows[start], gutter) and _is_close(before, rows[start][0]):
        before = rows[start][0]
        start += 1
    below = following
    while below and end > start and _is_left_only(rows[end - 1], gutter) and _is_close(rows[end - 1][0], below):
        if end - 1 > start and _is_close(rows[end - 2][0], rows[end - 1][0]):
            break
        below = rows[end - 1][0]
        end -= 1
    flat = [[piece for row in part for piece in row] for part in (rows[:start], rows[start:end], rows[end:])]
    return flat[0], flat[1], flat[2]


def _rows(pieces: list[Piece]) -> list[list[Piece]]:
    """Group pieces, sorted by baseline, that overlap vertically."""
    rows: list[list[Piece]] = []
    for piece in pieces:
        if rows and any(piece.top < other.bottom - 0.3 * other.size for other in rows[-1]):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return rows


def _is_left_only(row: list[Piece], gutter: float) -> bool:
    return all(piece.right <= gutter + 1 for piece in row)


def _is_close(above: Piece, below: Piece) -> bool:
    size = max(above.size, below.size)
    return min(above.size, below.size) > 0.9 * size and below.base - above.base < 1.7 * size


def _gutter(pieces: list[Piece], rows: dict[int, int]) -> float | None:
    """Return the middle of the gutter between two columns; None if there is only one column."""
    gaps = [gap for gap in _gaps(pieces) if rows[gap.left.order] != rows[gap.right.order]]
    for _ in range(_MAX_CANDIDATES):
        found = _stripe(gaps)
        if found is None:
            return None
        middle, inside = found
        if _separates_columns(inside):
            return middle
        gaps = [gap for gap in gaps if not gap.left.right <= middle <= gap.right.left]
    return None


def _gaps(pieces: list[Piece]) -> list[_Gap]:
    """Return the gaps between each piece and the nearest piece right of it at the same height."""
    ordered = sorted(pieces, key=lambda piece: piece.top)
    gaps: list[_Gap] = []
    active: list[Piece] = []
    nearest: dict[int, tuple[float, _Gap]] = {}
    for piece in ordered:
        active = [
            other for other in active[-_MAX_COMPARED:] if other.bottom > piece.top + 0.3 * min(piece.size, other.size)
        ]
        for other in active:
            first, second = (other, piece) if other.left <= piece.left else (piece, other)
            width = second.left - first.right
            if width >= 0 and width < nearest.get(id(first), (1e9, None))[0]:
                nearest[id(first)] = (width, _Gap(first, second))
        active.append(piece)
    gaps.extend(gap for width, gap in nearest.values() if width >= _MIN_GUTTER)
    return gaps


def _stripe(gaps: list[_Gap]) -> tuple[float, list[_Gap]] | None:
    """Return the middle of the stripe that most gaps share, weighted by line height, and those gaps."""
    opening = [(gap.left.right, gap.left.size) for gap in gaps]
    closing = [(gap.right.left, -gap.left.size) for gap in gaps]
    height, best = 0.0, (0.0, 0.0, 0.0)
    for (at, change), (following, _) in itertools.pairwise(sorted(opening + closing)):
        height += change
        if following - at >= _MIN_GUTTER:
            best = max(best, (round(height, 3), following - at, (at + following) / 2))
    inside = [gap for gap in gaps if gap.left.right <= best[2] <= gap.right.left]
    return (best[2], inside) if len(inside) > 1 else None


def _separates_columns(gaps: list[_Gap]) -> bool:
    """Whether these gaps separate columns rather than the cells of a table."""
    lefts = {gap.left.order: gap.left for gap in gaps}
    rights = {gap.right.order: gap.right for gap in gaps}
    lengths = [median(len(piece.text) for piece in side.values()) for side in (lefts, rights)]
    sides = [order in lefts for order in sorted([*lefts, *rights])]
    changes = sum(a != b for a, b in itertools.pairwise(sides))
    one_after_the_other = changes <= 1 + 0.1 * len(sides)
    if one_after_the_other:
        return len(gaps) >= (2 if min(lengths) > _RUNNING else 3) and min(lengths) >= 3 and max(lengths) >= _SHORT
    return (
        len(gaps) >= 4 and min(lengths) >= _RUNNING and all(_is_full(list(side.values())) for side in (lefts, rights))
    )


def _is_full(pieces: list[Piece]) -> bool:
    """Whether most lines end at the same right edge, as in running text."""
    edge = sorted(piece.right for piece in pieces)[int(0.9 * (len(pieces) - 1))]
    left = min(piece.left for piece in pieces)
    return sum(piece.right > edge - 0.15 * (edge - left) for piece in pieces) >= 0.6 * len(pieces)
