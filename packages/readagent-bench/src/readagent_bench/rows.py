"""Row: the figures of one method, and what every task needs to get from predictions to rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from readagent_bench.statistics import Estimate, Scores, difference, estimate


class OfMethod(Protocol):
    """A record that names the method it belongs to."""

    @property
    def method(self) -> str: ...


T = TypeVar("T", bound=OfMethod)


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a method.

    ``counts`` says how much was measured, as in ``{"questions": 120}``. ``measures`` are estimates by name, ``totals``
    are for one run. ``unrated`` counts free answers without a readable verdict; None for tasks without a rater.
    ``groups`` break some measures down by group of questions: ``{"right": {"hard": ..., "easy": ...}}``.
    """

    method: str
    title: str
    counts: Mapping[str, int]
    failed: int
    measures: Mapping[str, Estimate]
    totals: Mapping[str, float | None]
    unrated: int | None = None
    groups: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    scores: Mapping[str, Scores] = field(default_factory=dict, repr=False, compare=False)


def by_method(records: Iterable[T], order: Sequence[str] = ()) -> dict[str, list[T]]:
    """Return the records of each method: methods in this order first, then others as they appear."""
    found: dict[str, list[T]] = {name: [] for name in order}
    for record in records:
        found.setdefault(record.method, []).append(record)
    return {name: some for name, some in found.items() if some}


def estimates(scores: Mapping[str, Scores], seed: int = 0) -> dict[str, Estimate]:
    """Return the estimate of each measure that has scores."""
    return {name: one for name, values in scores.items() if (one := estimate(values, seed)) is not None}


def differences(first: Row, second: Row) -> dict[str, Estimate]:
    """Return how much more the first method scores than the second on the same questions, by measure."""
    found = {
        name: difference(first.scores[name], second.scores[name]) for name in first.scores if name in second.scores
    }
    return {name: one for name, one in found.items() if one is not None}
