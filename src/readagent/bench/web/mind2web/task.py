"""Task and Step: what Mind2Web asks for, as its files tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.webnav.goal import Goal

SHOWN_BEFORE = 5  # earlier actions that a method is told, as in the reference evaluation


@dataclass(frozen=True, slots=True)
class Step:
    """A page, and the action that was taken on it: any of the ``positives`` is the right element.

    ``candidates`` are the ids of all elements that may be chosen, ``scores`` a ranker's where the file has them.
    ``positives`` is empty where cleaning the page lost the element; nothing is right then.
    """

    id: str
    html: str
    operation: str
    value: str
    positives: tuple[str, ...]
    candidates: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def gold(self) -> str:
        """The operation with its value, as operations are compared; clicks have no value."""
        return self.operation if self.operation == "CLICK" else f"{self.operation} {self.value}".strip()


@dataclass(frozen=True, slots=True)
class Task:
    """An instruction for a website, its steps, and a line for each that tells the action taken."""

    id: str
    website: str
    domain: str
    subdomain: str
    instruction: str
    actions: tuple[str, ...]
    steps: tuple[Step, ...]

    def goal(self, number: int) -> Goal:
        """What is asked of a method at a step: the instruction, and the right actions before it."""
        return Goal(self.instruction, self.actions[max(0, number - SHOWN_BEFORE) : number])
