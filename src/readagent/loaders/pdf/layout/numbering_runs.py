"""From numbers that may be page numbers to runs of sheets that are numbered in one way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from readagent.loaders.pdf.layout.numberings import Mark, Numbering

_CHANGE = 1.5  # what a change of the numbering costs: as much as so many numbers are worth
_SMALL_CHANGE = 0.8  # the same, for a numbering with few numbers

_Weights = Mapping[Numbering, Mapping[int, float]]


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


def best_runs(regular: Iterable[Mark], short: Iterable[Mark], count: int) -> list[Run]:
    """Return the sequence of numberings of ``count`` sheets that explains most numbers with few changes.

    ``short`` are marks of numberings with few numbers, which may be roman ones before page 1, or those of a chapter.
    """
    often, seldom = _weights(regular), _weights(short)
    path = _best_path({**often, **seldom}, seldom, count)
    return list(_runs_of(path, {**often, **seldom}))


def _weights(marks: Iterable[Mark]) -> _Weights:
    """Return how much the number on a sheet counts, for each numbering."""
    found: defaultdict[Numbering, dict[int, float]] = defaultdict(dict)
    for mark in marks:
        of = found[mark.numbering]
        of[mark.row.number] = max(of.get(mark.row.number, 0.0), mark.weight)
    return found


def _best_path(weights: _Weights, short: Collection[Numbering], count: int) -> list[Numbering | None]:
    """Return the numbering of each sheet, None for no number, by Viterbi's algorithm."""
    costs = {one: _SMALL_CHANGE if one in short else _CHANGE for one in weights}
    worth: dict[Numbering | None, float] = {None: 0.0, **dict.fromkeys(weights, float("-inf"))}
    origins: list[dict[Numbering | None, Numbering | None]] = []  # of each sheet, where the numbering changes
    for sheet in range(count):
        best = max(worth, key=lambda one: worth[one])
        most = worth[best]
        origin: dict[Numbering | None, Numbering | None] = {None: best}
        for one, cost in costs.items():
            if most - cost > worth[one]:
                worth[one] = most - cost
                origin[one] = best
            worth[one] += weights[one].get(sheet, 0.0)
        worth[None] = most
        origins.append(origin)
    here = max(worth, key=lambda one: worth[one])
    path: list[Numbering | None] = []
    for origin in reversed(origins):
        path.append(here)
        here = origin.get(here, here)
    return path[::-1]


def _runs_of(path: Sequence[Numbering | None], weights: _Weights) -> Iterator[Run]:
    for numbering, part in groupby(range(len(path)), key=lambda sheet: path[sheet]):
        on = [sheet for sheet in part if numbering and sheet in weights[numbering]]
        if numbering and on:
            yield Run(numbering, on[0], on[-1], len(on))
