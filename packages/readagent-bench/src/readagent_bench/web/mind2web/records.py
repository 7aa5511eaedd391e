"""StepPrediction: the action of a method at a step, the right one, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import ClassVar

from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Trace
from readagent_bench.folder import PREDICTIONS, Key, RunFolder
from readagent_bench.records import Spent, described, spent
from readagent_bench.score import Row, by_method, estimates
from readagent_bench.web.mind2web.data import Moment
from readagent_browse.goal import Action


@dataclass(frozen=True, slots=True)
class Acted:
    """The action of a method, decided from ``words`` of the ``full_words`` of the page; None if that means nothing.

    ``opened`` are the snippets shown in full. ``skipped`` says why the model was not asked, as in the reference.
    """

    action: Action | None
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class StepPrediction:
    """The record of a step. Without a prediction ``element`` is empty and ``error`` says why."""

    FILE: ClassVar[str] = PREDICTIONS

    run: int
    method: str
    title: str
    task: str
    step: str
    number: int
    website: str
    gold: str
    positives: tuple[str, ...]
    element: str = ""
    operation: str = ""
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    longest_prompt: int = 0
    spent: Spent = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    skipped: str = ""
    error: str = ""

    @property
    def key(self) -> Key:
        """Run, method, task and step."""
        return self.run, self.method, self.task, self.step


def predicted(
    key: Key, title: str, moment: Moment, trace: Trace, acted: Acted | None, error: str = ""
) -> StepPrediction:
    """Return the record of an action, or of a failure; ``trace`` has the calls made for it either way."""
    action, task, step = acted.action if acted is not None else None, moment.task, moment.step
    return StepPrediction(
        key[0], key[1], title, task.id, step.id, moment.number, task.website, step.gold, step.positives,
        element=action.element if action is not None else "",
        operation=operation_of(action) if action is not None else "",
        words=acted.words if acted is not None else None,
        full_words=acted.full_words if acted is not None else 0,
        opened=acted.opened if acted is not None else None,
        longest_prompt=max((estimate_tokens(call.prompt) for call in trace.calls), default=0),
        spent=spent(trace),
        fallbacks=described(trace),
        skipped=acted.skipped if acted is not None else "",
        error=error,
    )  # fmt: skip


def operation_of(action: Action) -> str:
    """Return the operation and value of an action as the data set writes them."""
    name = action.operation.upper()
    return name if name == "CLICK" else f"{name} {action.value}".strip()


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
