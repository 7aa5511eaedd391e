"""Means, deviations over runs, and bootstrap intervals over documents; paired when two methods are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random
from statistics import fmean, stdev

_RESAMPLES = 2000
_TAIL = 0.025

Scores = Mapping[tuple[int, str], Mapping[str, float]]  # the score of each question, by run and document


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its standard deviation over runs (None with one run), and a 95 % interval over documents.

    With one document there is no interval: it does not show how documents differ.
    """

    mean: float
    deviation: float | None
    low: float | None
    high: float | None
    count: int


def estimate(scores: Scores, seed: int = 0) -> Estimate | None:
    """Return the mean over the questions of each run, averaged over runs; None without any score."""
    runs: dict[int, list[float]] = {}
    documents: dict[str, list[float]] = {}
    for (run, document), questions in sorted(scores.items()):
        runs.setdefault(run, []).extend(questions.values())
        documents.setdefault(document, []).extend(questions.values())
    means = [fmean(values) for values in runs.values() if values]
    if not means:
        return None
    low, high = interval(list(documents.values()), seed) or (None, None)
    deviation = stdev(means) if len(means) > 1 else None
    return Estimate(fmean(means), deviation, low, high, sum(map(len, scores.values())))


def difference(first: Scores, second: Scores, seed: int = 0) -> Estimate | None:
    """Return how much more the first scores than the second, over the questions that both have a score for."""
    both = {
        key: {name: score - second[key][name] for name, score in first[key].items() if name in second[key]}
        for key in first
        if key in second
    }
    return estimate(both, seed)


def interval(documents: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of the mean over questions; whole documents are resampled."""
    sums = [(fsum(scores), len(scores)) for scores in documents if scores]
    if len(sums) < 2:
        return None
    generator = Random(seed)
    means = []
    for _ in range(_RESAMPLES):
        drawn = generator.choices(sums, k=len(sums))
        means.append(fsum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    last = len(means) - 1
    return means[round(_TAIL * last)], means[round((1 - _TAIL) * last)]
