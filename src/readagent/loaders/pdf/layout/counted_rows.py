"""Tell rows with a page number from lines of the text in which a number goes up with the sheets.

"Question 3: why did Anna leave?" at the top of sheet 3 is text: the rest of a header or footer repeats.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from readagent.loaders.pdf.layout.edges import Row
from readagent.loaders.text.numerals import number_of

MAX_WORDS = 12  # of a header
_NUMBER = re.compile(r"\d+|\b(?:[ivxlc]+|[IVXLC]+)\b")
_MIN_SHARE = 0.5  # of the rows of a header must have text that repeats
_NEAR = 2  # sheets: a header may be on each left or each right one


def counted_rows(rows: Sequence[Row]) -> list[Row]:
    """Return those of the rows with a number that goes up with the sheets which are headers or footers.

    Most must have no other words, or the same as others near them: a title, or that of a chapter. If so, short rows
    that do not repeat are headers too.
    """
    offsets = Counter(offset for row in rows for offset in {_offset(one, row) for one in _NUMBER.finditer(row.text)})
    common = {offset for offset, count in offsets.items() if 2 * count >= len(rows)}
    same: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        same[_rest(row, common)].append(row)
    repeated = {row for rest, alike in same.items() if not rest or _near(alike) for row in alike}
    if len(repeated) < _MIN_SHARE * len(rows):
        return []
    return [row for row in rows if row in repeated or len(row.text.split()) <= MAX_WORDS]


def _near(rows: Sequence[Row]) -> bool:
    """Whether most of these rows are on sheets near each other."""
    steps = [after - before for before, after in itertools.pairwise(sorted({row.number for row in rows}))]
    near = sum(step <= _NEAR for step in steps)
    return near > 0 and 2 * near >= len(steps)


def _offset(number: re.Match[str], row: Row) -> int:
    return number_of(number[0]) - row.number


def _rest(row: Row, offsets: Collection[int]) -> str:
    """Return the letters and digits of a row without the numbers that go up with the sheets."""
    rest = _NUMBER.sub(lambda one: " " if _offset(one, row) in offsets else one[0], row.text.casefold())
    return re.sub(r"[\W_]+", " ", rest).strip()
