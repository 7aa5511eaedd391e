"""From numbers that may be page numbers to runs of sheets that are numbered in one way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from readagent.loaders.pdf.layout.numberings import Mark, Numbering

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
