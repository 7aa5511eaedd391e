"""The rows at the top and bottom of a sheet, where headers, footers and page numbers are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from readagent.loaders.pdf.layout.sheet import Piece, Sheet

_MAX_ROWS = 4  # from an edge that may be headers or footers
_ZONE = 0.25  # of the height of a sheet that may contain them
_SAME_HEIGHT = 3.0  # points
CHAPTER = re.compile(
    r"(?i)(?:chapter|part|book|act|scene|lesson|lecture|section|unit|canto|letter|day|kapitel|teil|lektion|chapitre|partie"
    r"|livre|cap[ií]tulo|capitolo|parte|libro|hoofdstuk|rozdział|глава|часть|книга|question|exercise|problem|task|case"
    r"|week|story|poem|sonnet|psalm|hymn|recipe|frage|aufgabe|übung|fall|woche|exercice|exercici?o|pregunta|вопрос)"
    r"\W+(?:\d+|[ivxlc]+)\W*"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row near the edge of a sheet: its index from there, its distance from the edge, and that from the text."""

    sheet: int
    number: int
    top: bool
    depth: int
    text: str
    from_edge: float
    size: float
    from_text: float
    orders: frozenset[int]


def edge_rows(sheet: Sheet, index: int) -> Iterator[Row]:
    """Yield the rows at the top and at the bottom of a sheet, from the edge inwards."""
    zone, leading = _ZONE * sheet.height, _leading(sheet)
    for top in (True, False):
        inside = (piece.base < zone if top else piece.base > sheet.height - zone for piece in sheet.pieces)
        pieces = [piece for piece, near in zip(sheet.pieces, inside, strict=True) if near]
        rows = _rows(pieces, downwards=top)
        for depth, row in enumerate(rows[:_MAX_ROWS]):
            base, size = row[0].base, max(piece.size for piece in row)
            inward = rows[depth + 1][0].base if depth + 1 < len(rows) else base + (99 if top else -99)
            text = " ".join(_without_superscripts(piece) for piece in sorted(row, key=lambda piece: piece.left))
            from_edge = base if top else sheet.height - base
            orders = frozenset(piece.order for piece in row)
            from_text = abs(inward - base) / max(leading, 1.2 * size)
            yield Row(index, sheet.number, top, depth, text, from_edge, size, from_text, orders)


def by_height(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield groups of rows with the same distance from the edge and the same size."""
    level: list[Row] = []
    for row in sorted(rows, key=lambda row: (round(row.size), row.from_edge)):
        if level and (row.from_edge - level[-1].from_edge > _SAME_HEIGHT or round(row.size) != round(level[-1].size)):
            yield level
            level = []
        level.append(row)
    if level:
        yield level


def is_chapter(text: str) -> bool:
    """Whether a row is only the number of a part of the text, such as Chapter 3 or Question 3."""
    return bool(CHAPTER.fullmatch(text))


def _leading(sheet: Sheet) -> float:
    """Return the usual distance between the rows of a sheet."""
    bases = sorted(piece.base for piece in sheet.pieces)
    return median([below - above for above, below in itertools.pairwise(bases) if below - above > 4] or [0.0])


def _without_superscripts(piece: Piece) -> str:
    text = piece.text
    for start, end in reversed(piece.raised):
        text = text[:start] + text[end:]
    return text


def _rows(pieces: Sequence[Piece], *, downwards: bool) -> list[list[Piece]]:
    """Return the first rows of pieces from the edge inwards."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.base if downwards else -piece.base):
        if rows and abs(piece.base - rows[-1][0].base) < 0.4 * min(piece.size, rows[-1][0].size):
            rows[-1].append(piece)
        elif len(rows) > _MAX_ROWS:
            break
        else:
            rows.append([piece])
    return rows
