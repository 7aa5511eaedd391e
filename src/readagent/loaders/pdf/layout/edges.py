"""The rows at the top and bottom of a sheet, where headers, footers and page numbers are, and which of them count."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import median

from readagent.loaders.pdf.layout.sheet import Piece, Sheet
from readagent.loaders.text.headings import number_of

_MAX_ROWS = 4  # from an edge that may be headers or footers
_ZONE = 0.25  # of the height of a sheet that may contain them
_SAME_HEIGHT = 3.0  # points
CHAPTER = re.compile(
    r"(?i)(?:chapter|part|book|act|scene|lesson|lecture|section|unit|canto|letter|day|question|exercise|problem|task|case"
    r"|week|story|poem|sonnet|psalm|hymn|recipe)\W+(?:\d+|[ivxlc]+)\W*"
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


MAX_WORDS = 12  # of a header
_MIN_REPEATED = 0.5  # of rows at one height that are headers
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_MIN_LETTERS = 3  # of a heading
_BEFORE = 3  # sheets before a row that may have the heading which it repeats
_NEAR = 2  # sheets: a header may be on each left or each right one

Lines = defaultdict[int, defaultdict[str, set[int]]]


def lines_of(sheets: Sequence[Sheet]) -> Lines:
    """Return the letters of the lines of each sheet, and the orders of their pieces."""
    found: Lines = defaultdict(lambda: defaultdict(set))
    for sheet in sheets:
        for piece in sheet.pieces:
            found[sheet.number][_letters(piece.text)].add(piece.order)
    return found


def counted_rows(rows: Sequence[Row], lines: Lines) -> list[Row]:
    """Return those of the rows with a number that goes up with the sheets which are headers or footers.

    Most must have no other words, the same as others near them, or those of a heading just before, on a sheet with
    these ``lines``. If so, short rows that do not repeat are headers too.
    """
    tokens = Counter(token for row in rows for token in {*_NUMBER.findall(row.text.casefold())})
    constant = {token for token, count in tokens.items() if 2 * count > len(rows)}
    offsets = Counter(offset for row in rows for offset in {*_offsets(row, constant)})
    common = {offset for offset, count in offsets.items() if 2 * count >= len(rows)}
    same: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        same[_rest(row, common, constant)].append(row)
    repeated = {row for rest, alike in same.items() if not rest or _near(alike) for row in alike}
    own = {row.number: row.orders for row in rows}
    repeated |= {row for rest, alike in same.items() for row in alike if _is_heading(rest, row, own, lines)}
    if len(repeated) < _MIN_REPEATED * len(rows):
        return []
    return [row for row in rows if row in repeated or len(row.text.split()) <= MAX_WORDS]


def _is_heading(rest: str, row: Row, own: Mapping[int, Set[int]], lines: Lines) -> bool:
    """Whether the words of a row are also a line on its sheet or one before it; ``own`` are the rows themselves."""
    words = _letters(CHAPTER.sub("", rest))
    sheets = range(row.number - _BEFORE, row.number + 1)
    return len(words) >= _MIN_LETTERS and any(
        lines[number].get(words, set()) - own.get(number, set()) for number in sheets if number in lines
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))


def _near(rows: Sequence[Row]) -> bool:
    """Whether most of these rows are on sheets near each other."""
    steps = [after - before for before, after in itertools.pairwise(sorted({row.number for row in rows}))]
    near = sum(step <= _NEAR for step in steps)
    return near > 0 and 2 * near >= len(steps)


def _offsets(row: Row, constant: Collection[str]) -> Iterator[int]:
    """Yield how far the numbers of a row are from that of its sheet, without those that most rows have."""
    for one in _NUMBER.findall(row.text.casefold()):
        if one not in constant:
            yield number_of(one) - row.number


def _rest(row: Row, offsets: Collection[int], constant: Collection[str]) -> str:
    """Return the letters and digits of a row without the numbers that go up with the sheets."""

    def kept(number: re.Match[str]) -> str:
        counted = number[0] not in constant and number_of(number[0]) - row.number in offsets
        return " " if counted else number[0]

    return re.sub(r"[\W_]+", " ", _NUMBER.sub(kept, row.text.casefold())).strip()
