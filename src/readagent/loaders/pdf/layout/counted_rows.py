"""Tell rows with a page number from lines of the text in which a number goes up with the sheets.

"Question 3: why did Anna leave?" at the top of sheet 3 is text: the rest of a header or footer repeats.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set

from readagent.loaders.pdf.layout.edges import CHAPTER, Row
from readagent.loaders.pdf.layout.sheet import Sheet
from readagent.loaders.text.numerals import number_of

MAX_WORDS = 12  # of a header
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_MIN_SHARE = 0.5  # of the rows of a header must have text that repeats
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
    if len(repeated) < _MIN_SHARE * len(rows):
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
