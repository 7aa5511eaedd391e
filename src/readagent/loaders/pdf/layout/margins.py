"""Remove running headers, footers, page numbers and line numbers.

A row at the top or bottom of a sheet is a header or footer if a number in it goes up with the sheets, or if it repeats
on several sheets at the same height. Rows are removed from the edge inwards, up to the first that is neither.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from readagent.loaders.pdf.layout.sheet import Piece, Sheet, body_size
from readagent.loaders.text.numerals import number_of

_MAX_ROWS = 4  # from an edge that may be headers or footers
_ZONE = 0.25  # of the height of a sheet that may contain them
_SAME_HEIGHT = 3.0  # points
_MIN_DISTANCE = 1.25  # line heights between a header and the text
_MAX_WORDS = 12
_MAX_SIZE = 1.3  # relative to running text
_MIN_LINE_NUMBERS = 6  # on a sheet
_LONG_LINE = 35  # characters
_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d,]|\.\d)")
_CHAPTER = re.compile(
    r"(?i)(?:chapter|part|book|act|scene|lesson|lecture|section|unit|canto|letter|day|kapitel|teil|lektion|chapitre|partie"
    r"|livre|cap[ií]tulo|capitolo|parte|libro|hoofdstuk|rozdział|глава|часть|книга)\W+(?:\d+|[ivxlc]+)\W*"
)
_ROMAN = re.compile(r"[\s–—|.\[\]()-]*([ivxlc]{1,7}|[IVXLC]{1,7})[\s–—|.\[\]()-]*")
_NUMBER_ONLY = re.compile(
    r"(?i)[\s–—|\[\](-]*(?:page|p\.|seite|página|стр\.)?\s*(\d{1,4})(?:\s*(?:/|of|von|de|из)\s*\d{1,4})?[\s–—|.\[\])-]*"
)
_BROWSER_FOOT = re.compile(r"(?:https?|file|about|data):\S*\s+\d+/\d+")
_BROWSER_HEAD = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d{2}\b.*")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row near the edge of a sheet: its index from there, its distance from the edge, and that from the text."""

    sheet: int
    number: int
    place: str
    top: bool
    depth: int
    text: str
    from_edge: float
    size: float
    from_text: float
    orders: frozenset[int]


def without_running(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Return the sheets without running headers, footers and page numbers."""
    rows = [row for index, sheet in enumerate(sheets) for row in _edge_rows(sheet, index)]
    numbered = _numbered_rows(rows, len(sheets))
    running = numbered | _repeated(rows, numbered, len(sheets), body_size(sheets)) | _labels(rows)
    running |= _at_same_position(rows, running)
    removed: dict[int, set[int]] = defaultdict(set)
    finished: set[tuple[int, bool]] = set()
    for row in sorted(rows, key=lambda row: row.depth):
        if (row.sheet, row.top) in finished:
            continue
        if row in running:
            removed[row.sheet] |= row.orders
        else:
            finished.add((row.sheet, row.top))
    return [
        replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in removed[index]))
        for index, sheet in enumerate(sheets)
    ]


def without_line_numbers(sheet: Sheet) -> Sheet:
    """Return the sheet without line numbers left or right of running text."""
    numbers = [piece for piece in sheet.pieces if piece.text.isdecimal() and len(piece.text) < 5]
    texts = [piece for piece in sheet.pieces if len(piece.text) > _LONG_LINE]
    if len(numbers) < _MIN_LINE_NUMBERS or len(texts) < _MIN_LINE_NUMBERS:
        return sheet
    left, right = median(piece.left for piece in texts), median(piece.right for piece in texts)
    removed: set[int] = set()
    for side in ([n for n in numbers if n.right < left], [n for n in numbers if n.left > right]):
        side.sort(key=lambda piece: piece.base)
        steps = [int(below.text) - int(above.text) for above, below in itertools.pairwise(side)]
        if len(side) >= _MIN_LINE_NUMBERS and steps.count(steps[0]) > 0.9 * len(steps) and steps[0] in (1, 5, 10):
            removed |= {piece.order for piece in side}
    return (
        replace(sheet, pieces=tuple(piece for piece in sheet.pieces if piece.order not in removed))
        if removed
        else sheet
    )


def _edge_rows(sheet: Sheet, index: int) -> Iterator[_Row]:
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
            yield _Row(index, sheet.number, sheet.place, top, depth, text, from_edge, size, from_text, orders)


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


def _numbered_rows(rows: Sequence[_Row], sheets: int) -> set[_Row]:
    """Return the rows with a number that goes up by one from sheet to sheet, at the same height."""
    by_offset: dict[object, list[_Row]] = defaultdict(list)
    for row in rows:
        for value in set(_numbers(row.text)):
            by_offset[row.top, value - row.number].append(row)
    minimum = 3 if sheets > 3 else 2
    chains = [level for group in by_offset.values() if len(group) >= minimum for level in _by_height(group)]
    found: set[_Row] = set()
    numbered: set[int] = set()
    for chain in sorted(chains, key=len, reverse=True):
        on = {row.number for row in chain}
        if len(on & numbered) * 2 > len(on):  # a second sequence at the bottom numbers notes
            chain = _only_numbers_and_headers(chain)
        if len(chain) >= minimum and len(on) >= minimum and _is_set_off(chain):
            found.update(chain)
            numbered |= on
    return found


def _only_numbers_and_headers(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows that are only a number, and those at the top that differ from others only in their number."""
    seen = Counter(_comparable_text(row, counted=True) for row in rows if row.top)
    return [row for row in rows if _NUMBER_ONLY.fullmatch(row.text) or seen[_comparable_text(row, counted=True)] > 2]


def _numbers(text: str) -> list[int]:
    """Return the numbers in a row that may be page numbers, without those of chapters and of table rows."""
    found = _NUMBER.findall(text)
    if _CHAPTER.fullmatch(text) or (len(found) > 2 and not any(map(str.isalpha, text))):
        return []
    values = [int(number) for number in found[:4]]
    words = text.split()
    ends = {text, words[0], words[-1]} if words else set()
    return values + [number_of(roman[1]) for end in ends if (roman := _ROMAN.fullmatch(end))]


def _by_height(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Yield groups of rows with the same distance from the edge and the same size."""
    level: list[_Row] = []
    for row in sorted(rows, key=lambda row: (round(row.size), row.from_edge)):
        if level and (row.from_edge - level[-1].from_edge > _SAME_HEIGHT or round(row.size) != round(level[-1].size)):
            yield level
            level = []
        level.append(row)
    if level:
        yield level


def _is_set_off(rows: Sequence[_Row]) -> bool:
    """Whether the distance of these rows from the text is more than that between lines."""
    return median(row.from_text for row in rows) > _MIN_DISTANCE


def _repeated(rows: Sequence[_Row], counted: set[_Row], sheets: int, body: float) -> set[_Row]:
    """Return the rows with the same text, except for page numbers, at the same height on several sheets."""
    same: dict[object, list[_Row]] = defaultdict(list)
    for row in rows:
        same[row.top, _comparable_text(row, counted=row in counted)].append(row)
    found: set[_Row] = set()
    for group in same.values():
        if len(group) > 1:
            for level in _by_height(group):
                if _repeats(level, sheets, body):
                    found.update(level)
    return found


def _comparable_text(row: _Row, *, counted: bool) -> str:
    """Return the text of a row for comparison, without its page number."""
    text = re.sub(r"\W+", " ", row.text.casefold()).strip()
    return re.sub(r"\b(?:\d+|[ivxlc]+)\b", "#", text) if counted else text or row.text


def _repeats(rows: Sequence[_Row], sheets: int, body: float) -> bool:
    """Whether rows with the same text are on sheets near each other, and set off from the text."""
    numbers = sorted({row.number for row in rows})
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    near = sum(step <= 2 for step in steps)
    if not near or 2 * near < len(steps) or rows[0].size > _MAX_SIZE * body:
        return False
    other_type = abs(rows[0].size - body) > 0.08 * body
    if _is_set_off(rows) or (other_type and len(numbers) > 2):
        return True
    return len(numbers) >= max(5, 0.3 * sheets)


def _at_same_position(rows: Sequence[_Row], running: set[_Row]) -> set[_Row]:
    """Return the rows exactly where other sheets have a header or footer, such as that of a short chapter."""
    positions = Counter((row.top, round(row.from_edge), round(row.size)) for row in running if row.depth == 0)
    return {
        row
        for row in rows
        if row.depth == 0 and row.from_text > _MIN_DISTANCE and len(row.text.split()) <= _MAX_WORDS
        if positions[row.top, round(row.from_edge), round(row.size)] > 2
    }


def _labels(rows: Sequence[_Row]) -> set[_Row]:
    """Return the rows that are only the page label, and those that a browser prints around a page."""
    browser = {row.sheet for row in rows if not row.top and _BROWSER_FOOT.fullmatch(row.text)}
    found: set[_Row] = set()
    for row in rows:
        alone = _NUMBER_ONLY.fullmatch(row.text) or _ROMAN.fullmatch(row.text)
        if alone and row.depth == 0 and alone[1] == row.place.removeprefix("page ") and row.from_text > 1.5:
            found.add(row)
        if row.sheet in browser and (_BROWSER_HEAD if row.top else _BROWSER_FOOT).fullmatch(row.text):
            found.add(row)
    return found
