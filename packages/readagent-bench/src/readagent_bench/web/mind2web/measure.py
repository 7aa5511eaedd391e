"""The measures of Mind2Web, as in its reference evaluation.

*Element accuracy*: whether the element is one of the right ones. *Operation F1*: over the distinct words of operation
and value. *Step success*: both are right. A step without a right element, or without a prediction, counts 0 in all
three. They are averaged over the steps of a task first, then over tasks. *Success*: every step of a task succeeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from readagent_bench.folder import RunFolder
from readagent_bench.rows import Row, by_method, estimates
from readagent_bench.web.mind2web.records import StepPrediction

MEASURES = ("element_accuracy", "operation_f1", "step_success", "success", "cr", "lookups")
_OVER_TASKS = ("element_accuracy", "operation_f1", "step_success")


def operation_f1(predicted: str, gold: str) -> float:
    """Return the F1 of two operations over their distinct words."""
    said, right = set(predicted.split()), set(gold.split())
    shared = len(said & right)
    if not shared:
        return 1.0 if said == right else 0.0
    precision, recall = shared / len(said), shared / len(right)
    return 2 * precision * recall / (precision + recall)


def step_scores(prediction: StepPrediction) -> dict[str, float]:
    """Return the three measures of one step."""
    if not prediction.positives or not prediction.element:
        return dict.fromkeys(_OVER_TASKS, 0.0)
    element = float(prediction.element in prediction.positives)
    f1 = operation_f1(prediction.operation, prediction.gold)
    return {"element_accuracy": element, "operation_f1": f1, "step_success": float(element == 1.0 == f1)}


def rows(folder: RunFolder) -> list[Row]:
    """Return a row for each method, in the order of the manifest."""
    made = folder.manifest()
    found = by_method(folder.records(StepPrediction), made.get("methods", []))
    return [_row(some, made.get("seed", 0)) for some in found.values()]


def _row(found: Sequence[StepPrediction], seed: int) -> Row:
    tasks: dict[tuple[int, str], list[StepPrediction]] = {}
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
    runs = len({one.run for one in found})
    return Row(
        found[0].method,
        found[0].title,
        {"tasks": len({one.task for one in found}), "steps": len(found) // runs},
        sum(bool(one.error) for one in found),
        estimates(scores, seed),
        _totals(found, runs),
        scores=scores,
    )


def _totals(found: Sequence[StepPrediction], runs: int) -> dict[str, float | None]:
    return {
        **{name: sum(one.spent.get(name) or 0 for one in found) / runs for name in ("calls", "words", "cost")},
        "longest_prompt": float(max(one.longest_prompt for one in found)),
        "fallbacks": sum(len(one.fallbacks) for one in found) / runs,
        "skipped": sum(bool(one.skipped) for one in found) / runs,
    }
