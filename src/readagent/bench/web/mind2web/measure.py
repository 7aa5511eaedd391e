"""The measures of Mind2Web, as its reference evaluation takes them.

*Element accuracy*: is the element one of the right ones. *Operation F1*: of the words of operation and value, each
counted once. *Step success*: both right. A step without a right element, or without a prediction, counts 0 in all
three. They are averaged over the steps of a task first, then over tasks. *Success*: every step of a task succeeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from readagent.bench.statistics import Estimate, estimate
from readagent.bench.web.mind2web.records import Prediction

MEASURES = ("element_accuracy", "operation_f1", "step_success", "success", "cr", "lookups")
_OVER_TASKS = ("element_accuracy", "operation_f1", "step_success")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a method, as shares; CR in per cent, as everywhere."""

    method: str
    title: str
    tasks: int
    steps: int
    failed: int
    measures: Mapping[str, Estimate]
    totals: Mapping[str, float]


def operation_f1(predicted: str, gold: str) -> float:
    """How far two operations agree: F1 of their words, each counted once."""
    said, right = set(predicted.split()), set(gold.split())
    shared = len(said & right)
    if not shared:
        return 1.0 if said == right else 0.0
    precision, recall = shared / len(said), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def step_scores(prediction: Prediction) -> dict[str, float]:
    """The three measures of one step."""
    if not prediction.positives or not prediction.element:
        return dict.fromkeys(_OVER_TASKS, 0.0)
    element = float(prediction.element in prediction.positives)
    f1 = operation_f1(prediction.operation, prediction.gold)
    return {"element_accuracy": element, "operation_f1": f1, "step_success": float(element == 1.0 == f1)}


def rows(predictions: Iterable[Prediction], methods_in_order: Sequence[str] = (), seed: int = 0) -> list[Row]:
    """A row for each method, in this order, or else in that in which they first appear."""
    methods: dict[str, list[Prediction]] = {name: [] for name in methods_in_order}
    for one in predictions:
        methods.setdefault(one.method, []).append(one)
    return [_row(found, seed) for found in methods.values() if found]


def _row(found: Sequence[Prediction], seed: int) -> Row:
    tasks: dict[tuple[int, str], list[Prediction]] = {}
    for one in found:
        tasks.setdefault((one.run, one.task), []).append(one)
    scores: dict[str, dict[tuple[int, str], dict[str, float]]] = {name: {} for name in MEASURES}
    for key, steps in tasks.items():
        each = [step_scores(one) for one in steps]
        for name in _OVER_TASKS:
            scores[name][key] = {"": fmean(one[name] for one in each)}
        scores["success"][key] = {"": float(all(one["step_success"] for one in each))}
        scores["cr"][key] = {one.step: 100 * (1 - one.words / one.full_words) for one in steps if one.words is not None}
        scores["lookups"][key] = {one.step: float(len(one.opened)) for one in steps if one.opened is not None}
    measures = {name: value for name in MEASURES if (value := estimate(scores[name], seed)) is not None}
    runs = len({one.run for one in found})
    totals = {name: sum(one.spent.get(name) or 0 for one in found) / runs for name in ("calls", "words", "cost")}
    totals |= {
        "longest_prompt": float(max(one.longest_prompt for one in found)),
        "fallbacks": sum(len(one.fallbacks) for one in found) / runs,
        "skipped": sum(bool(one.skipped) for one in found) / runs,
    }
    first = found[0]
    failed = sum(bool(one.error) for one in found)
    return Row(
        first.method, first.title, len({one.task for one in found}), len(found) // runs, failed, measures, totals
    )
