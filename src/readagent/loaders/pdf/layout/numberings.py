"""Numbers at the edge of a sheet that may be page numbers, and the runs of sheets that are numbered in one way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from readagent.loaders.pdf.layout.edges import Row, is_chapter
from readagent.loaders.text.headings import number_of, roman

# 12, also in 12 / 40, Page 12 of 40 and -12-; with a prefix in 3-12, 3.12, 23:12, A-3 and S12
_NUMBER = re.compile(
    r"(?<![A-Za-z\d])(?<!\d[.,])(?<![A-Za-z\d][-–—:/])"
    r"((?:\d{1,2}[-–—:.]|[A-Z][-–—]?)?)(\d{1,4})(?![A-Za-z\d]|[.,:]\d|[-–—]\w)"
    r"(?:\s?(?:/|of|von|van|de|di|sur|из)\s?\d{1,4}\b)?"
)
_ROMAN = re.compile(r"[–—|.\[\]()-]*([ivxlc]{1,12}|[IVXLC]{1,12})[–—|.\[\]()-]*")
_DASH = re.compile("[–—]")
_MAX_NUMBERS = 4  # in a row
_ITEM = (".", ")")  # after the number of a heading or of an item of a list
_COLUMNS = 3  # numbers without a word: a row of a table
ALONE, AT_AN_END, WITHIN = 1.0, 0.9, 0.5  # how much a number counts, by its place in the row


@dataclass(frozen=True, slots=True)
class Numbering:
    """A way to number sheets: in ``style`` 1, i or I, after a prefix such as "3-", from the number of sheet 0 on."""

    style: str
    prefix: str
    first: int

    @property
    def kind(self) -> tuple[str, str]:
        """Style and prefix."""
        return self.style, self.prefix

    def number(self, sheet: int) -> str:
        """Return the number of a sheet as it is printed."""
        value = self.first + sheet
        return self.prefix + (str(value) if self.style == "1" else roman(value, capital=self.style == "I"))


@dataclass(frozen=True, slots=True)
class Mark:
    """A row with a number that belongs to a numbering, and how much it counts."""

    numbering: Numbering
    row: Row
    weight: float


def marks_in(row: Row) -> Iterator[Mark]:
    """Yield the numbers in a row that may be page numbers; not that of a chapter, nor those in a row of a table."""
    numbers = list(_NUMBER.finditer(row.text))
    if is_chapter(row.text) or (len(numbers) >= _COLUMNS and not any(map(str.isalpha, row.text))):
        return
    for one in numbers[:_MAX_NUMBERS]:
        before, after = row.text[: one.start()], row.text[one.end() :]
        alone = not any(map(str.isalnum, before + after))
        if not alone and (one[1].endswith(".") or (not before.strip() and after[:1] in _ITEM)):
            continue  # 3.12 next to words is a version, a section or an amount
        weight = ALONE if alone else WITHIN if before.strip() and after.strip() else AT_AN_END
        yield Mark(Numbering("1", _DASH.sub("-", one[1]), int(one[2]) - row.number), row, weight)
    words = row.text.split()
    for word in {words[0], words[-1]} if words else ():
        if (found := _ROMAN.fullmatch(word)) and (value := number_of(found[1])):
            style = "i" if found[1].islower() else "I"
            yield Mark(Numbering(style, "", value - row.number), row, ALONE if len(words) == 1 else AT_AN_END)


_CHANGE = 1.5  # what a change of the numbering costs: as much as so many numbers are worth
_SMALL_CHANGE = 0.8  # the same, for a numbering with few numbers

_Weights = defaultdict[int, defaultdict[Numbering, float]]  # how much the numbers on each sheet count


@dataclass(frozen=True, slots=True)
class Run:
    """Sheets with one numbering, from the first to the last that has its number on it; ``found`` of them have."""

    numbering: Numbering
    first: int
    last: int
    found: int

    @property
    def numbers(self) -> dict[int, str]:
        """The numbers of its sheets."""
        return {sheet: self.numbering.number(sheet) for sheet in range(self.first, self.last + 1)}


def best_runs(regular: Iterable[Mark], short: Iterable[Mark] = ()) -> list[Run]:
    """Return the sequence of numberings that explains most numbers with few changes (Viterbi's algorithm).

    ``short`` are marks of numberings with few numbers, which may be roman ones before page 1, or those of a chapter.
    """
    costs: dict[Numbering, float] = {}
    weights: _Weights = defaultdict(lambda: defaultdict(float))
    for marks, cost in ((regular, _CHANGE), (short, _SMALL_CHANGE)):
        for mark in marks:
            costs[mark.numbering] = cost
            on = weights[mark.row.number]
            on[mark.numbering] = max(on[mark.numbering], mark.weight)
    worth: dict[Numbering, float] = {}  # of the best sequence so far that ends with a numbering
    before: dict[tuple[int, Numbering], Numbering | None] = {}  # the numbering before one that starts at a sheet
    best, most = None, 0.0
    for sheet in sorted(weights):
        last, reached = best, most
        for one, weight in weights[sheet].items():
            if reached - costs[one] > worth.get(one, float("-inf")):
                worth[one], before[sheet, one] = reached - costs[one], last
            worth[one] += weight
            if worth[one] > most:
                best, most = one, worth[one]
    return _traced(best, before, weights)


def _traced(
    last: Numbering | None, before: Mapping[tuple[int, Numbering], Numbering | None], weights: _Weights
) -> list[Run]:
    """Return the runs of the sequence that ends with ``last``, from its changes."""
    runs: list[Run] = []
    found: list[int] = []
    for sheet in sorted(weights, reverse=True):
        if last and last in weights[sheet]:
            found.append(sheet)
            if (sheet, last) in before:
                runs.append(Run(last, sheet, found[0], len(found)))
                last, found = before[sheet, last], []
    return runs[::-1]
