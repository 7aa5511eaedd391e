"""Means over runs, intervals over documents, and differences question by question."""

from __future__ import annotations

from random import Random

import pytest

from readagent_bench.statistics import difference, estimate, interval


def test_a_mean_is_over_questions_and_a_deviation_over_runs() -> None:
    scores = {
        (0, "a"): {"1": 1.0, "2": 0.0},
        (0, "b"): {"3": 1.0},
        (1, "a"): {"1": 1.0, "2": 1.0},
        (1, "b"): {"3": 1.0},
    }
    found = estimate(scores)
    assert found is not None
    assert found.mean == pytest.approx((2 / 3 + 1) / 2)
    assert found.deviation == pytest.approx((1 - 2 / 3) / 2**0.5)  # of two values: their distance over the root of 2
    assert found.count == 6


def test_an_interval_is_the_same_for_the_same_seed() -> None:
    documents = [[float(i % 3 == 0), float(i % 2)] for i in range(12)]
    assert interval(documents, 7) == interval(documents, 7)
    assert interval(documents, 7) != interval(documents, 8)
    low, high = interval(documents) or (1.0, 0.0)
    assert low < sum(map(sum, documents)) / 24 < high


@pytest.mark.slow
def test_an_interval_covers_the_truth_about_nineteen_times_in_twenty() -> None:
    """Documents differ: each has its own rate, drawn about 0.6. The interval must know that."""
    dice, covered, times = Random(5), 0, 60
    for _ in range(times):
        rates = [min(1.0, max(0.0, dice.gauss(0.6, 0.2))) for _ in range(30)]
        documents = [[float(dice.random() < rate) for _ in range(8)] for rate in rates]
        low, high = interval(documents) or (1.0, 0.0)
        covered += low <= 0.595 <= high
    assert covered / times > 0.85


def test_a_difference_is_taken_question_by_question() -> None:
    first = {(0, "a"): {"1": 1.0, "2": 1.0, "3": 0.0}, (0, "b"): {"4": 1.0}, (0, "c"): {"9": 1.0}}
    second = {(0, "a"): {"2": 0.0, "3": 0.0, "7": 1.0}, (0, "b"): {"4": 1.0}}
    found = difference(first, second)
    assert found is not None
    assert found.count == 3  # 2 and 3 of a, 4 of b: what only one has tells nothing
    assert found.mean == pytest.approx(1 / 3)
    assert difference(first, {(0, "z"): {"1": 1.0}}) is None
