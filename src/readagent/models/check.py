"""Checking a server: does it answer, stream and constrain, and how much does its model take in."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from readagent.core.choice import Choice
from readagent.core.model import Ask
from readagent.errors import ReadAgentError
from readagent.models.capabilities import WAYS, Constrain

if TYPE_CHECKING:
    from readagent.models.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Check:
    """What was found out. ``seconds`` is how long the first reply took; ``error`` is empty where all went well."""

    answers: bool = False
    model: str = ""
    known: bool | None = None
    streams: bool | None = None
    constrains: Constrain = "unknown"
    window: int | None = None
    seconds: float = 0.0
    error: str = ""
    hint: str = ""


async def check(endpoint: Endpoint) -> Check:
    """Ask the server a few small things."""
    answers, seconds = False, 0.0
    error, hint = "", ""
    try:
        await endpoint.settle()
        began = perf_counter()
        await endpoint.complete(Ask("respond", 'Reply with the word "ready".', listen=_ignore))
        answers, seconds = True, perf_counter() - began
        decision = Ask("merge", "Is water wet? Reply with one of: yes, no.", Choice(("yes", "no")))
        for _ in WAYS:
            if endpoint.facts.constrain != "unknown":
                break
            await endpoint.complete(decision)
    except ReadAgentError as failure:
        error, hint = str(failure), failure.hint
    return Check(
        answers,
        endpoint.model,
        await endpoint.lists_model() if answers else None,
        endpoint.facts.streams,
        endpoint.facts.constrain,
        await endpoint.window() if answers else None,
        seconds,
        error,
        hint,
    )


def _ignore(piece: str) -> None:
    """The text of the test reply is of no interest."""
