"""Probe a server for `readagent model check`: does it answer, stream and constrain output, and what is its window."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from readagent.core.choice import Choice
from readagent.core.model import Ask
from readagent.errors import ReadAgentError
from readagent.models.capabilities import CONSTRAINT_PARAMETERS, ConstraintKind
from readagent.models.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """What a probe found. ``seconds`` is the time of the first reply; ``error`` is empty if every request worked."""

    answers: bool = False
    model: str = ""
    listed: bool | None = None
    streams: bool | None = None
    constrains: ConstraintKind = "unknown"
    window: int | None = None
    seconds: float = 0.0
    error: str = ""
    hint: str = ""


async def probe(endpoint: Endpoint) -> ProbeReport:
    """Send a few small requests. A failure is part of the report and is not raised."""
    answers, seconds = False, 0.0
    error, hint = "", ""
    try:
        await endpoint.resolve_model()
        began = perf_counter()
        await endpoint.complete(Ask("respond", 'Reply with the word "ready".', listen=_ignore))
        answers, seconds = True, perf_counter() - began
        decision = Ask("merge", "Is water wet? Reply with one of: yes, no.", Choice(("yes", "no")))
        for _ in CONSTRAINT_PARAMETERS:
            if endpoint.capabilities.constrain != "unknown":
                break
            await endpoint.complete(decision)
    except ReadAgentError as failure:
        error, hint = str(failure), failure.hint
    return ProbeReport(
        answers,
        endpoint.model,
        await endpoint.lists_model() if answers else None,
        endpoint.capabilities.streams,
        endpoint.capabilities.constrain,
        await endpoint.window() if answers else None,
        seconds,
        error,
        hint,
    )


def _ignore(piece: str) -> None:
    """Discard a piece of the reply; asking with a listener is what makes the request a streaming one."""
