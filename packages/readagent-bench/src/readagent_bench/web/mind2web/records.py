"""StepPrediction: the action of a method at a step, the right one, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Trace
from readagent_bench.folder import PREDICTIONS, Key
from readagent_bench.records import Spent, described, spent
from readagent_bench.web.mind2web.task import Moment
from readagent_browse.action import Action


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
