"""Means, deviations over runs, and bootstrap intervals over documents, paired where two methods are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev

_RESAMPLES = 2000
_TAIL = 0.025


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its standard deviation over runs (None with one run), and a 95 % interval over documents."""

    mean: float
    deviation: float | None
    low: float
    high: float
    count: int


Scores = Mapping[tuple[int, str], Sequence[float]]  # by run and document: a score for each question


def estimate(scores: Scores, seed: int = 0) -> Estimate | None:
    """The mean over questions of each run, averaged over the runs; None where there is nothing to average."""
    runs = _by_run(scores)
    if not runs:
        return None
    means = [_mean(documents) for documents in runs.values()]
    pooled = _pooled(scores)
    low, high = interval(list(pooled.values()), seed)
    return Estimate(fmean(means), stdev(means) if len(means) > 1 else None, low, high, sum(map(len, scores.values())))


def difference(first: Scores, second: Scores, seed: int = 0) -> Estimate | None:
    """How much more the first scores than the second on the same questions, document by document."""
    both = {key: [a - b for a, b in zip(first[key], second[key], strict=True)] for key in first if key in second
            and len(first[key]) == len(second[key])}  # fmt: skip
    return estimate(both, seed)


def interval(documents: Sequence[Sequence[float]], seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean over questions, whole documents being drawn again and again."""
    sums = [(sum(scores), len(scores)) for scores in documents if scores]
    if not sums:
        return (0.0, 0.0)
    dice = Random(seed)
    means = []
    for _ in range(_RESAMPLES):
        drawn = dice.choices(sums, k=len(sums))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    last = len(means) - 1
    return means[round(_TAIL * last)], means[round((1 - _TAIL) * last)]


def _by_run(scores: Scores) -> dict[int, list[Sequence[float]]]:
    runs: dict[int, list[Sequence[float]]] = {}
    for (run, _), values in sorted(scores.items()):
        if values:
            runs.setdefault(run, []).append(values)
    return runs


def _pooled(scores: Scores) -> dict[str, list[float]]:
    """By document, the scores of all runs."""
    pooled: dict[str, list[float]] = {}
    for (_, document), values in sorted(scores.items()):
        pooled.setdefault(document, []).extend(values)
    return pooled


def _mean(documents: Sequence[Sequence[float]]) -> float:
    return fmean(score for scores in documents for score in scores)
