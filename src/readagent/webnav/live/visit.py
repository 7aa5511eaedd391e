"""Visit: what came of a task on a web site, step by step; and the limits it is kept within."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from readagent.core.trace import Trace
from readagent.webnav.action import Action

Ended = Literal["done", "steps", "unconfirmed", "failed"]


@dataclass(frozen=True, slots=True)
class Limits:
    """At most so many ``steps``, and seconds: for a page to ``load``, to ``settle``, and for one thing to be done."""

    steps: int = 20
    load: float = 30.0
    idle: float = 5.0
    act: float = 5.0


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class VisitStep:
    """One step: the page, the snippets that were reopened, and what was done, in ``words``.

    ``action`` is None where the model said that the task is done. ``near`` is what stands around its element in the
    snippet that it was found in. ``failed`` says why the action could not be done;
    ``told`` is what the page did beside it. ``compression`` is the share of the page that need not be read, and
    ``largest_prompt`` the tokens of the longest prompt, as estimated.
    """

    number: int
    url: str
    title: str
    action: Action | None
    description: str
    opened: tuple[int, ...]
    context: str
    page_words: int
    compression: float
    largest_prompt: int
    events: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """A task, the steps that were taken for it, and how it ended: ``reason`` says it in words."""

    url: str
    instruction: str
    steps: tuple[VisitStep, ...]
    ended: Ended
    reason: str
    trace: Trace
    folder: Path | None = None

    @property
    def done(self) -> bool:
        return self.ended == "done"


Confirm = Callable[[str], bool]
OnStep = Callable[[VisitStep], None]


def refuse(question: str) -> bool:
    """Agrees to nothing."""
    return False


def agree(question: str) -> bool:
    """Agrees to everything."""
    return True
