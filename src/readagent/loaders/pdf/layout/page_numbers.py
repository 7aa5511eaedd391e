"""Read the page numbers that are printed in headers and footers.

One rule: a number counts if it goes up by one from sheet to sheet, at the same height, in rows that are headers or
footers, and if most sheets have one. Sheets between two with a number have the one that they must have, and so do the
few just before and after. No two sheets get the same number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.loaders.pdf.layout.edges import Lines, Row, by_height, counted_rows, edge_rows, is_chapter, lines_of
from readagent.loaders.pdf.layout.sheet import Sheet
from readagent.loaders.text.headings import number_of, roman

_NUMBER = re.compile(  # 12, also in 12 / 40 and Page 12 of 40
    r"(?<!\w)(?<!\d[.,])(?<!\w[–—:/-])(\d{1,4})(?!\w|[.,:]\d|[–—-]\w)(?:\s?(?:/|of)\s?\d{1,4}\b)?"
)
_ROMAN = re.compile(r"\W*([ivxlc]{1,12}|[IVXLC]{1,12})\W*")
_COLUMNS = 3  # numbers without a word: a row of a table
_MIN_SHEETS, _FEW = 3, 3  # with the same numbering; two in a file of a few sheets, and with roman numbers
_MAX_GAP = 8  # sheets without a number between two that have one
_MIN_SHARE = 0.5  # of the sheets must have their number on them
_MAX_AFTER = 4  # sheets after the last with a number that are numbered too


@dataclass(frozen=True, slots=True)
class Numbering:
    """A way to number sheets: in ``style`` 1, i or I, from the number of sheet 0 on."""

    style: str
    first: int

    def number(self, sheet: int) -> str:
        """Return the number of a sheet as it is printed."""
        value = self.first + sheet
        return str(value) if self.style == "1" else roman(value, capital=self.style == "I")


@dataclass(frozen=True, slots=True)
class _Run:
    """Sheets with one numbering, from the first to the last that has its number on it; ``found`` of them have."""

    numbering: Numbering
    first: int
    last: int
    found: int


def printed_numbers(sheets: Sequence[Sheet], count: int) -> dict[int, str]:
    """Return the printed numbers of the sheets of a file with ``count`` sheets; empty if they are not consistent."""
    runs: list[_Run] = []
    numbers: dict[int, str] = {}
    for run in sorted(_runs(sheets, count), key=lambda run: -run.found):
        own = {sheet: run.numbering.number(sheet) for sheet in range(run.first, run.last + 1)}
        if own.keys().isdisjoint(numbers) and not {*own.values()} & {*numbers.values()}:
            runs.append(run)
            numbers |= own
    if sum(run.found for run in runs) < _MIN_SHARE * len({sheet.number for sheet in sheets}):
        return {}
    for run in runs:
        page_one = 1 - run.numbering.first  # its sheet, if it is one; an article may begin on page 301
        _extend(numbers, run, range(run.first - 1, max(0, page_one if page_one >= 0 else run.first - 1) - 1, -1))
    for run in runs:
        _extend(numbers, run, range(run.last + 1, min(count, run.last + 1 + _MAX_AFTER)))
    return numbers


def _runs(sheets: Sequence[Sheet], count: int) -> Iterator[_Run]:
    """Yield the runs of sheets that may be numbered in one way."""
    rows = [row for index, sheet in enumerate(sheets) for row in edge_rows(sheet, index)]
    sheets_of: defaultdict[Numbering, set[int]] = defaultdict(set)
    for numbering, level in numbered_rows(rows, count, lines_of(sheets)):
        sheets_of[numbering].update(row.number for row in level)
    for numbering, found in sheets_of.items():
        on = sorted(found)
        start = 0
        for at in range(1, len(on) + 1):
            if at == len(on) or on[at] - on[at - 1] > _MAX_GAP:
                if at - start >= _least(numbering, count):
                    yield _Run(numbering, on[start], on[at - 1], at - start)
                start = at


def numbered_rows(rows: Sequence[Row], count: int, lines: Lines) -> Iterator[tuple[Numbering, list[Row]]]:
    """Yield the headers or footers at one height that suggest one way to number the ``count`` sheets."""
    of: defaultdict[tuple[Numbering, bool], list[Row]] = defaultdict(list)
    for row in rows:
        for numbering in {*_numberings_in(row)}:
            of[numbering, row.top].append(row)
    for (numbering, _), alike in of.items():
        for level in by_height(alike):
            if len({row.number for row in level}) >= _least(numbering, count):
                yield numbering, counted_rows(level, lines)


def _least(numbering: Numbering, count: int) -> int:
    return _MIN_SHEETS if count > _FEW and numbering.style == "1" else 2


def _numberings_in(row: Row) -> Iterator[Numbering]:
    """Yield the numberings that a row suggests; not the number of a chapter, nor those in a row of a table."""
    numbers = _NUMBER.findall(row.text)
    if is_chapter(row.text) or (len(numbers) >= _COLUMNS and not any(map(str.isalpha, row.text))):
        return
    for one in numbers:
        yield Numbering("1", int(one) - row.number)
    words = row.text.split()
    for word in {words[0], words[-1]} if words else ():
        if (found := _ROMAN.fullmatch(word)) and (value := number_of(found[1])):
            yield Numbering("i" if found[1].islower() else "I", value - row.number)


def _extend(numbers: dict[int, str], run: _Run, where: range) -> None:
    """Number the sheets next to a run, up to one that has a number, or would have that of another."""
    for sheet in where:
        if sheet in numbers or (number := run.numbering.number(sheet)) in numbers.values():
            break
        numbers[sheet] = number
