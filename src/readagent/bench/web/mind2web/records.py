"""Prediction: what a method did at a step, what would have been right, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.bench.records import Spent, spent
from readagent.bench.web.mind2web.task import Task
from readagent.core.trace import Trace
from readagent.core.words import estimate_tokens
from readagent.webnav.action import Action

Key = tuple[int, str, str, str]  # run, method, task, step


@dataclass(frozen=True, slots=True)
class Acted:
    """What a method decided, from how many ``words`` of the page's ``full_words``; None where that says nothing.

    ``opened`` are the snippets shown in full. ``skipped`` says why nothing was asked, where the reference asks nothing.
    """

    action: Action | None
    words: int | None = None
    full_words: int = 0
    opened: tuple[int, ...] | None = None
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The record of a step. ``element`` is empty and ``error`` says why where nothing was predicted."""

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
        """Which prediction this is; a later one takes the place of an earlier one."""
        return self.run, self.method, self.task, self.step


def predicted(
    run: int, method: tuple[str, str], task: Task, number: int, trace: Trace, acted: Acted | None, error: str = ""
) -> Prediction:
    """The record of what a method, given by name and title, did at a step, or of its failing."""
    action, step = acted.action if acted is not None else None, task.steps[number]
    return Prediction(
        run, *method, task.id, step.id, number, task.website, step.gold, step.positives,
        element=action.element if action is not None else "",
        operation=told(action) if action is not None else "",
        words=acted.words if acted is not None else None,
        full_words=acted.full_words if acted is not None else 0,
        opened=acted.opened if acted is not None else None,
        longest_prompt=max((estimate_tokens(call.prompt) for call in trace.calls), default=0),
        spent=spent(trace),
        fallbacks=tuple(f"{one.step}: {one.reason}; taken instead: {one.taken}" for one in trace.fallbacks),
        skipped=acted.skipped if acted is not None else "",
        error=error,
    )  # fmt: skip


def told(action: Action) -> str:
    """An action's operation and value, as the data set writes them."""
    name = action.operation.upper()
    return name if name == "CLICK" else f"{name} {action.value}".strip()
