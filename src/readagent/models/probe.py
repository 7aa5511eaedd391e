"""Find model servers on this machine, and probe a server: does it answer, stream and constrain output."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.errors import ConnectionFailedError, ReadAgentError, UnauthorizedError
from readagent.models.endpoint import Endpoint
from readagent.models.hosts import is_loopback
from readagent.models.http import HttpClient
from readagent.models.providers import PROVIDERS
from readagent.models.request import ConstraintKind
from readagent.models.server_info import writing_models


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
        if endpoint.capabilities.constrain == "unknown":
            await endpoint.complete(Ask("merge", "Is water wet? Reply with one of: yes, no.", Choice(("yes", "no"))))
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


_SECONDS = 1.0  # a server on this machine lists its models in less


@dataclass(frozen=True, slots=True)
class Listing:
    """The models of a server that write text: None if it does not list them, and then ``problem`` says why."""

    models: list[str] | None
    problem: Literal["", "does not answer", "needs a key", "does not accept the key", "does not list its models"] = ""


async def listing_of(base_url: str, key: str | None = None, seconds: float = _SECONDS) -> Listing:
    """Return the models of a server that write text, or why it does not list them within some seconds."""
    client = HttpClient(base_url, key=key, timeout=seconds)
    try:
        async with asyncio.timeout(seconds):
            return Listing(await writing_models(client))
    except UnauthorizedError:
        return Listing(None, "does not accept the key" if key else "needs a key")
    except (ConnectionFailedError, TimeoutError):
        return Listing(None, "does not answer")
    except ReadAgentError:
        return Listing(None, "does not list its models")
    finally:
        await client.aclose()


async def local_servers() -> dict[str, list[str]]:
    """Return the models that write text of each server on its usual port, by the short name of the server."""
    names = [name for name, provider in PROVIDERS.items() if is_loopback(provider.base_url)]
    found = await asyncio.gather(*(listing_of(PROVIDERS[name].base_url) for name in names))
    return {name: one.models for name, one in zip(names, found, strict=True) if one.models is not None}
