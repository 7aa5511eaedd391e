"""Read the page numbers that are printed in headers and footers.

A number counts if it goes up by one from sheet to sheet, at the same height, on most sheets, and if the rest of the row
repeats. Sheets without a number between others get the one that they must have, and so do those just before and after.
Numbers that occur twice, as where each chapter starts with page 1, would not say which page is meant, and are left out,
and so are years.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set

from readagent.loaders.pdf.layout.edges import CHAPTER, Row, by_height, edge_rows
from readagent.loaders.pdf.layout.numberings import ALONE, AT_AN_END, Mark, Numbering, Run, best_runs, marks_in
from readagent.loaders.pdf.layout.sheet import Sheet
from readagent.loaders.text.headings import number_of

MAX_WORDS = 12  # of a header
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


_FEW = 3  # sheets
_MIN_SHARE = 0.5  # of the sheets must have their number on them
_YEARS = range(1500, 2100)
_MAX_AFTER = 4  # sheets after the last with a number that are numbered too


def printed_numbers(sheets: Sequence[Sheet], count: int) -> dict[int, str]:
    """Return the printed numbers of the sheets of a file with ``count`` sheets; empty if they are not consistent."""
    of: defaultdict[Numbering, list[Mark]] = defaultdict(list)
    for index, sheet in enumerate(sheets):
        for row in edge_rows(sheet, index):
            for mark in marks_in(row):
                of[mark.numbering].append(mark)
    lines = lines_of(sheets)
    regular = _without_years([mark for marks in of.values() for mark in _regular(marks, lines, few=count <= _FEW)])
    known = {mark.numbering for mark in regular}
    main = {run.numbering for run in best_runs(regular)}
    positions = {_position(mark.row) for mark in regular if mark.numbering in main}
    placed = [mark for marks in of.values() for mark in marks if _position(mark.row) in positions]
    prefixed = any(one.prefix for one in main)
    short = [mark for mark in placed if mark.numbering not in known and _may_be_short(mark, prefixed=prefixed)]
    every = best_runs(regular, short)
    kept = _unambiguous(every)
    if not kept or sum(run.found for run in kept) < _MIN_SHARE * len({sheet.number for sheet in sheets}):
        return {}
    other = {sheet for run in every if run not in kept for sheet in run.numbers}
    numbered = {(mark.row.number, mark.numbering.kind) for mark in placed if mark.weight >= AT_AN_END}
    return _extended(kept, set(range(count)) - other - _of_other_size(sheets), numbered)


def _of_other_size(sheets: Sequence[Sheet]) -> set[int]:
    """Return the sheets that have not the size of most, such as a cover that was added to an article."""
    sizes = {sheet.number: frozenset((round(sheet.width), round(sheet.height))) for sheet in sheets}
    ((usual, _),) = Counter(sizes.values()).most_common(1)
    return {number for number, size in sizes.items() if size != usual}


def _regular(marks: Sequence[Mark], lines: Lines, *, few: bool) -> list[Mark]:
    """Return the marks of a numbering, if several are at the same height: these, and rows of only a number.

    In a file of ``few`` sheets two are enough, but none within a row.
    """
    minimum = 2 if few else 3
    if few:
        marks = [one for one in marks if one.weight >= AT_AN_END]
    if len(marks) < minimum:
        return []
    levels = [level for top in (True, False) for level in by_height([one.row for one in marks if one.row.top is top])]
    numbered = (level for level in levels if len({row.number for row in level}) >= minimum)
    found = {row for level in numbered for row in counted_rows(level, lines)}
    return [one for one in marks if one.row in found or one.weight == ALONE] if found else []


def _without_years(marks: Sequence[Mark]) -> list[Mark]:
    """Return the marks without years: with other numbers on as many sheets, or as headings that are only a number.

    Other numbers between 1500 and 2100 may be the pages of a journal.
    """
    of: defaultdict[Numbering, list[Mark]] = defaultdict(list)
    for mark in marks:
        of[mark.numbering].append(mark)
    years = {one for one, own in of.items() if one.kind == ("1", "") and all(_is_year(mark) for mark in own)}
    other = {mark.row.number for mark in marks if mark.numbering not in years}
    left_out = {
        one
        for one in years
        if len({mark.row.number for mark in of[one]} & other) * 2 > len(of[one])
        or all(mark.row.top and mark.weight == ALONE for mark in of[one])
    }
    return [mark for mark in marks if mark.numbering not in left_out]


def _is_year(mark: Mark) -> bool:
    return mark.numbering.first + mark.row.number in _YEARS


def _may_be_short(mark: Mark, *, prefixed: bool) -> bool:
    """Whether a number where others are counts alone: a roman one, or one with a prefix if others have one."""
    expected = prefixed if mark.numbering.prefix else mark.numbering.style != "1"
    return expected and mark.weight >= (ALONE if mark.numbering.style == "I" else AT_AN_END)


def _position(row: Row) -> tuple[bool, int, int]:
    return row.top, round(row.from_edge), round(row.size)


def _unambiguous(runs: Iterable[Run]) -> list[Run]:
    """Return the runs, in order, without those that give a number which a longer one gives too."""
    kept: list[Run] = []
    taken: set[str] = set()
    for run in sorted(runs, key=lambda run: run.first - run.last):
        numbers = set(run.numbers.values())
        if not numbers & taken:
            kept.append(run)
            taken |= numbers
    return sorted(kept, key=lambda run: run.first)


def _extended(runs: Sequence[Run], free: Set[int], numbered: Set[tuple[int, tuple[str, str]]]) -> dict[int, str]:
    """Return the numbers of the sheets in runs, and of ``free`` ones just before and after them.

    ``numbered`` are sheets with a number, and its kind: they do not get another one of that kind.
    """
    found = {sheet: number for run in runs for sheet, number in run.numbers.items()}
    taken = set(found.values())

    def extend(run: Run, where: Iterable[int]) -> None:
        for sheet in where:
            possible = sheet in free and sheet not in found and run.numbering.first + sheet > 0
            if (
                not possible
                or (sheet, run.numbering.kind) in numbered
                or (number := run.numbering.number(sheet)) in taken
            ):
                return
            found[sheet] = number
            taken.add(number)

    for run, start in zip(runs, [0, *(run.last + 1 for run in runs)], strict=False):
        has_first = run.numbering.first + start <= 1  # the first page is among the sheets before
        extend(run, range(run.first - 1, start - 1 if has_first else run.first - 2, -1))
    for run in runs:
        extend(run, range(run.last + 1, run.last + 1 + _MAX_AFTER))
    return found
