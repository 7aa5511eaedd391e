"""Means, deviations over runs, and t intervals over documents; paired when two methods are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, stdev

_FEWEST = 8  # documents: with fewer, 95 % intervals cover the truth less often than they say

Scores = Mapping[tuple[int, str], Mapping[str, float]]  # the score of each question, by run and document


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its standard deviation over runs (None with one run), and a 95 % interval over documents.

    With fewer than eight documents there is no interval: they do not show how documents differ.
    """

    mean: float
    deviation: float | None
    low: float | None
    high: float | None
    count: int


def estimate(scores: Scores) -> Estimate | None:
    """Return the mean over the questions of each run, averaged over runs; None without any score."""
    runs: dict[int, list[float]] = {}
    documents: dict[str, list[float]] = {}
    for (run, document), questions in sorted(scores.items()):
        runs.setdefault(run, []).extend(questions.values())
        documents.setdefault(document, []).extend(questions.values())
    means = [fmean(values) for values in runs.values() if values]
    if not means:
        return None
    low, high = interval(list(documents.values())) or (None, None)
    deviation = stdev(means) if len(means) > 1 else None
    return Estimate(fmean(means), deviation, low, high, sum(map(len, scores.values())))


def difference(first: Scores, second: Scores) -> Estimate | None:
    """Return how much more the first scores than the second, over the questions that both have a score for."""
    both = {
        key: {name: score - second[key][name] for name, score in first[key].items() if name in second[key]}
        for key in first
        if key in second
    }
    return estimate(both)


def interval(documents: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """Return the 95 % t interval of the mean over questions, of which those of a document go together."""
    sums = [(fsum(scores), len(scores)) for scores in documents if scores]
    if len(sums) < _FEWEST:
        return None
    questions = sum(count for _, count in sums)
    mean = fsum(total for total, _ in sums) / questions
    apart = fsum((total - mean * count) ** 2 for total, count in sums)
    half = _student(len(sums) - 1) * (apart * len(sums) / (len(sums) - 1)) ** 0.5 / questions
    return mean - half, mean + half


def _student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t, by its expansion around the normal one: exact to 0.002 from 7 on."""
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
