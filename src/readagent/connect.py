"""From a name to a model that can be relied on: an endpoint, and around it limits, retries, a budget and a cache."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from readagent.core.model import Model
from readagent.errors import BadReplyError
from readagent.library import Library
from readagent.models.budget import Budgeted
from readagent.models.cache import Cached, MemoryStore
from readagent.models.endpoint import Endpoint
from readagent.models.facts import Facts
from readagent.models.hosts import shown
from readagent.models.limits import Limited
from readagent.models.prices import Price, Prices
from readagent.models.providers import resolve
from readagent.models.retry import Retrying
from readagent.models.wire import decode_as, encode
from readagent.settings import Settings


@dataclass(frozen=True, slots=True)
class Connection:
    """A model with all its wrappers; ``endpoint`` is the server's end of it, None for a model of the user's own."""

    model: Cached
    endpoint: Endpoint | None = None

    async def aclose(self) -> None:
        if self.endpoint is not None:
            await self.endpoint.aclose()


def wrap(model: Model, library: Library | None, *, run: int = 0) -> Connection:
    """A model of the user's own, with every reply kept."""
    return Connection(Cached(model, library or MemoryStore(), run=run))


async def connect(
    settings: Settings, library: Library | None, *, run: int = 0, environ: Mapping[str, str] | None = None
) -> Connection:
    """The model that the settings name. Only its name is asked of the server, and only where none was given."""
    endpoint = endpoint_of(settings, library, environ)
    await endpoint.settle()
    model = Budgeted(
        Retrying(Limited(endpoint, most=settings.parallel)),
        max_words=settings.max_words,
        max_tokens=settings.max_tokens,
        max_cost=settings.max_cost,
        price=endpoint.price,
    )
    return Connection(Cached(model, library or MemoryStore(), run=run), endpoint)


def endpoint_of(settings: Settings, library: Library | None, environ: Mapping[str, str] | None = None) -> Endpoint:
    """The server's end, with what was found out about it before."""
    target = resolve(settings.model, settings.base_url, os.environ if environ is None else environ)
    server = f"{shown(target.base_url)} {target.model}"

    def remember(facts: Facts) -> None:
        if library is not None:
            library.keep_facts(server, encode(facts))

    return Endpoint(
        target.base_url,
        target.model,
        key=target.key,
        key_name=target.key_name,
        temperature=settings.temperature,
        timeout=settings.timeout,
        window=settings.window,
        prices=prices_of(settings),
        facts=_known(library, server),
        remember=remember,
    )


def _known(library: Library | None, server: str) -> Facts | None:
    """What was found out before; nothing, where that cannot be read any more."""
    data = library.facts(server) if library is not None else None
    try:
        return decode_as(data, Facts) if data else None
    except BadReplyError:
        return None


def prices_of(settings: Settings) -> Prices:
    """The price table with the user's own entries."""
    return Prices.usual().extended({name: Price(*pair) for name, pair in settings.prices.items()})
