"""Running heads, running feet and page numbers: found by what comes back from sheet to sheet, and taken away.

A row at the head or foot of a sheet is one of them where a number in it goes up with the sheets, or where it says the
same on several sheets at the same height. Rows are taken from the edge inwards, up to the first that is none.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from readagent.loaders.pdf.layout.page import Piece, Sheet, body_size
from readagent.loaders.text.numerals import number_of

_DEPTH = 4  # rows from an edge that may be running heads
_ZONE = 0.25  # of a sheet's height in which they stand
_SAME_HEIGHT = 3.0  # points
_APART = 1.25  # distances of lines by which a running head is away from the text
_HEAD_WORDS = 12
_LARGE = 1.3  # of the size of running text; nothing larger is a running head
_MANY_NUMBERS = 6  # on a sheet, to be those of its lines
_LONG_LINE = 35  # characters
_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d,]|\.\d)")
_CHAPTER = re.compile(
    r"(?i)(?:chapter|part|book|act|scene|lesson|lecture|section|unit|canto|letter|day|kapitel|teil|lektion|chapitre|partie"
    r"|livre|cap[ií]tulo|capitolo|parte|libro|hoofdstuk|rozdział|глава|часть|книга)\W+(?:\d+|[ivxlc]+)\W*"
)
_ROMAN = re.compile(r"[\s–—|.\[\]()-]*([ivxlc]{1,7}|[IVXLC]{1,7})[\s–—|.\[\]()-]*")
_ALONE = re.compile(
    r"(?i)[\s–—|\[\](-]*(?:page|p\.|seite|página|стр\.)?\s*(\d{1,4})(?:\s*(?:/|of|von|de|из)\s*\d{1,4})?[\s–—|.\[\])-]*"
)
_BROWSER_FOOT = re.compile(r"(?:https?|file|about|data):\S*\s+\d+/\d+")
_BROWSER_HEAD = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}\b.*")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row near an edge of a sheet: which one from there, how far from it, and how many lines off the text."""

    sheet: int
    number: int
    place: str
    top: bool
    depth: int
    text: str
    away: float
    size: float
    apart: float
    orders: frozenset[int]


def without_running(sheets: Sequence[Sheet]) -> list[Sheet]:
    """The sheets without running heads, running feet and page numbers."""
    rows = [row for index, sheet in enumerate(sheets) for row in _edge_rows(sheet, index)]
    counted = _counting(rows, len(sheets))
    running = counted | _repeated(rows, counted, len(sheets), body_size(sheets)) | _labels(rows)
    running |= _in_their_place(rows, running)
    gone: dict[int, set[int]] = defaultdict(set)
    reached: set[tuple[int, bool]] = set()
    for row in sorted(rows, key=lambda row: row.depth):
        if (row.sheet, row.top) in reached:
            continue
        if row in running:
            gone[row.sheet] |= row.orders
        else:
            reached.add((row.sheet, row.top))
    return [
        replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in gone[index]))
        for index, sheet in enumerate(sheets)
    ]


def without_line_numbers(sheet: Sheet) -> Sheet:
    """The sheet without numbers that count its lines at the left or the right of running text."""
    numbers = [piece for piece in sheet.pieces if piece.text.isdecimal() and len(piece.text) < 5]
    texts = [piece for piece in sheet.pieces if len(piece.text) > _LONG_LINE]
    if len(numbers) < _MANY_NUMBERS or len(texts) < _MANY_NUMBERS:
        return sheet
    left, right = median(piece.left for piece in texts), median(piece.right for piece in texts)
    gone: set[int] = set()
    for side in ([n for n in numbers if n.right < left], [n for n in numbers if n.left > right]):
        side.sort(key=lambda piece: piece.base)
        steps = [int(below.text) - int(above.text) for above, below in itertools.pairwise(side)]
        if len(side) >= _MANY_NUMBERS and steps.count(steps[0]) > 0.9 * len(steps) and steps[0] in (1, 5, 10):
            gone |= {piece.order for piece in side}
    return replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in gone)) if gone else sheet


def _edge_rows(sheet: Sheet, index: int) -> Iterator[_Row]:
    zone, leading = _ZONE * sheet.height, _leading(sheet)
    for top in (True, False):
        inside = (piece.base < zone if top else piece.base > sheet.height - zone for piece in sheet.pieces)
        pieces = [piece for piece, near in zip(sheet.pieces, inside, strict=True) if near]
        rows = _rows(pieces, downwards=top)
        for depth, row in enumerate(rows[:_DEPTH]):
            base, size = row[0].base, max(piece.size for piece in row)
            inward = rows[depth + 1][0].base if depth + 1 < len(rows) else base + (99 if top else -99)
            text = " ".join(_unraised(piece) for piece in sorted(row, key=lambda piece: piece.left))
            away = base if top else sheet.height - base
            orders = frozenset(piece.order for piece in row)
            apart = abs(inward - base) / max(leading, 1.2 * size)
            yield _Row(index, sheet.number, sheet.place, top, depth, text, away, size, apart, orders)


def _leading(sheet: Sheet) -> float:
    """How far the rows of a sheet are apart, mostly."""
    bases = sorted(piece.base for piece in sheet.pieces)
    return median([below - above for above, below in itertools.pairwise(bases) if below - above > 4] or [0.0])


def _unraised(piece: Piece) -> str:
    text = piece.text
    for start, end in reversed(piece.raised):
        text = text[:start] + text[end:]
    return text


def _rows(pieces: Sequence[Piece], *, downwards: bool) -> list[list[Piece]]:
    """Rows of pieces from the edge inwards, enough of them."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.base if downwards else -piece.base):
        if rows and abs(piece.base - rows[-1][0].base) < 0.4 * min(piece.size, rows[-1][0].size):
            rows[-1].append(piece)
        elif len(rows) > _DEPTH:
            break
        else:
            rows.append([piece])
    return rows


def _counting(rows: Sequence[_Row], sheets: int) -> set[_Row]:
    """Rows with a number that goes up by one from sheet to sheet, always at the same height."""
    by_offset: dict[object, list[_Row]] = defaultdict(list)
    for row in rows:
        for value in set(_numbers(row.text)):
            by_offset[row.top, value - row.number].append(row)
    least = 3 if sheets > 3 else 2
    chains = [level for group in by_offset.values() if len(group) >= least for level in _by_height(group)]
    found: set[_Row] = set()
    numbered: set[int] = set()
    for chain in sorted(chains, key=len, reverse=True):
        on = {row.number for row in chain}
        if len(on & numbered) * 2 > len(on):  # a second number that counts is one of notes, unless it stands alone
            chain = [row for row in chain if _ALONE.fullmatch(row.text)]
        if len(chain) >= least and len(on) >= least and _stands_apart(chain):
            found.update(chain)
            numbered |= on
    return found


def _numbers(text: str) -> list[int]:
    """The numbers in a row that may be the sheet's; those of chapters and of the rows of a table are not."""
    found = _NUMBER.findall(text)
    if _CHAPTER.fullmatch(text) or (len(found) > 2 and not any(map(str.isalpha, text))):
        return []
    values = [int(number) for number in found[:4]]
    words = text.split()
    ends = {text, words[0], words[-1]} if words else set()
    return values + [number_of(roman[1]) for end in ends if (roman := _ROMAN.fullmatch(end))]


def _by_height(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Rows put together that are as far from the edge and as large as one another."""
    level: list[_Row] = []
    for row in sorted(rows, key=lambda row: (round(row.size), row.away)):
        if level and (row.away - level[-1].away > _SAME_HEIGHT or round(row.size) != round(level[-1].size)):
            yield level
            level = []
        level.append(row)
    if level:
        yield level


def _stands_apart(rows: Sequence[_Row]) -> bool:
    """Whether these rows are set off from the text by more than lines are from one another."""
    return median(row.apart for row in rows) > _APART


def _repeated(rows: Sequence[_Row], counted: set[_Row], sheets: int, body: float) -> set[_Row]:
    """Rows that say the same, page numbers apart, at the same height on several sheets."""
    same: dict[object, list[_Row]] = defaultdict(list)
    for row in rows:
        same[row.top, _said(row, row in counted)].append(row)
    found: set[_Row] = set()
    for group in same.values():
        if len(group) > 1:
            for level in _by_height(group):
                if _comes_back(level, sheets, body):
                    found.update(level)
    return found


def _said(row: _Row, counted: bool) -> str:
    """What a row says, its number left out where that goes up with the sheets."""
    text = re.sub(r"\W+", " ", row.text.casefold()).strip()
    return re.sub(r"\b(?:\d+|[ivxlc]+)\b", "#", text) if counted else text or row.text


def _comes_back(rows: Sequence[_Row], sheets: int, body: float) -> bool:
    """Whether rows that say the same do so on sheets near one another, and are set off from the text."""
    numbers = sorted({row.number for row in rows})
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    near = sum(step <= 2 for step in steps)
    if not near or 2 * near < len(steps) or rows[0].size > _LARGE * body:
        return False
    other_type = abs(rows[0].size - body) > 0.08 * body
    if _stands_apart(rows) or (other_type and len(numbers) > 2):
        return True
    return len(numbers) >= max(5, 0.3 * sheets)


def _in_their_place(rows: Sequence[_Row], running: set[_Row]) -> set[_Row]:
    """Rows that stand exactly where other sheets have a running head or foot, such as that of a short chapter."""
    places = Counter((row.top, round(row.away), round(row.size)) for row in running if row.depth == 0)
    return {
        row
        for row in rows
        if row.depth == 0 and row.apart > _APART and len(row.text.split()) <= _HEAD_WORDS
        if places[row.top, round(row.away), round(row.size)] > 2
    }


def _labels(rows: Sequence[_Row]) -> set[_Row]:
    """Rows that are nothing but the sheet's own name, and what a browser prints round a page."""
    browser = {row.sheet for row in rows if not row.top and _BROWSER_FOOT.fullmatch(row.text)}
    found: set[_Row] = set()
    for row in rows:
        alone = _ALONE.fullmatch(row.text) or _ROMAN.fullmatch(row.text)
        if alone and row.depth == 0 and alone[1] == row.place.removeprefix("page ") and row.apart > 1.5:
            found.add(row)
        if row.sheet in browser and (_BROWSER_HEAD if row.top else _BROWSER_FOOT).fullmatch(row.text):
            found.add(row)
    return found
