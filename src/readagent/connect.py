"""From a name to a model that can be relied on: an endpoint, and around it limits, retries, a budget and a cache."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from readagent.core.model import Hinter, Model
from readagent.embedded.engine import SLOTS, Engine, EngineEndpoint, gguf_path
from readagent.embedded.local import LOCAL, local_embedder, local_model
from readagent.errors import BadReplyError
from readagent.library import Library
from readagent.models.budget import Budget, Budgeted
from readagent.models.cache import Cached, MemoryStore
from readagent.models.capabilities import Capabilities
from readagent.models.endpoint import Endpoint
from readagent.models.limits import Limited, Slots, shared_slots
from readagent.models.prices import FREE, Price, Prices
from readagent.models.providers import resolve
from readagent.models.retry import Retrying
from readagent.models.wire import decode_as, encode
from readagent.retrieval.hints import WordHinter
from readagent.settings import Settings


@dataclass(frozen=True, slots=True)
class Connection:
    """A model with all its wrappers, and how to end it; ``endpoint`` is the server's end, where there is a server."""

    model: Cached
    endpoint: Endpoint | None = None
    end: Callable[[], Awaitable[None]] | None = None

    async def aclose(self) -> None:
        if self.end is not None:
            await self.end()


def is_local(settings: Settings) -> bool:
    """Whether the embedded reader is meant: it is named, or no model is."""
    return not settings.base_url and settings.model in ("", LOCAL)


def wrap(model: Model, settings: Settings, library: Library | None, *, run: int = 0) -> Connection:
    """A model of the user's own, within the same limits as any other, and with every reply kept."""
    limited = _limited(model, settings, Slots(settings.parallel), prices_of(settings).of(model.name))
    return Connection(Cached(limited, library or MemoryStore(), run=run))


async def connect(
    settings: Settings, library: Library | None, *, run: int = 0, environ: Mapping[str, str] | None = None
) -> Connection:
    """The model that the settings name. Only its name is asked of the server, and only where none was given."""
    store = library or MemoryStore()
    if is_local(settings):
        reader = local_model(settings.home, library, by_likelihood=settings.pauses_by == "likelihood")
        return Connection(Cached(_limited(reader, settings, Slots(1), FREE), store, run=run), end=reader.aclose)
    endpoint = endpoint_of(settings, library, environ)
    await endpoint.resolve_model()
    endpoint.capabilities = _known(library, endpoint.identity) or endpoint.capabilities
    own = isinstance(endpoint, EngineEndpoint)
    slots = Slots(_at_once(settings)) if own else shared_slots(endpoint.base_url, _at_once(settings))
    model = _limited(endpoint, settings, slots, endpoint.price)
    return Connection(Cached(model, store, run=run), endpoint, endpoint.aclose)


def hinter_of(settings: Settings, library: Library | None) -> Hinter:
    """Who finds pages for hints: by words and by vectors where the embedded weights are there, else by words alone."""
    embedder = local_embedder(settings.home, library)
    if embedder is None:
        return WordHinter()
    from readagent.retrieval.hybrid import HybridHinter

    return HybridHinter(embedder)


def _limited(model: Model, settings: Settings, slots: Slots, price: Price | None) -> Model:
    """Wrap a model in slots, retries, and the user's budget."""
    budget = Budget(settings.max_tokens, settings.max_cost)
    return Budgeted(Retrying(Limited(model, slots)), budget, price=price)


def endpoint_of(settings: Settings, library: Library | None, environ: Mapping[str, str] | None = None) -> Endpoint:
    """The server's end, nothing being known of it yet; what is found out is remembered in the library."""

    def remember(capabilities: Capabilities) -> None:
        if library is not None:
            keep_facts(library, endpoint)

    endpoint: Endpoint
    file = gguf_path(settings.model, settings.base_url)
    if file is not None:
        engine = Engine(file, window=settings.window, parallel=_at_once(settings))
        endpoint = EngineEndpoint(
            engine, own=True, temperature=settings.temperature, timeout=settings.timeout, remember=remember
        )
        return endpoint
    target = resolve(settings.model, settings.base_url, os.environ if environ is None else environ)
    endpoint = Endpoint(
        target.base_url,
        target.model,
        key=target.key,
        key_name=target.key_name,
        temperature=settings.temperature,
        timeout=settings.timeout,
        window=settings.window,
        prices=prices_of(settings),
        remember=remember,
    )
    return endpoint


def keep_facts(library: Library, endpoint: Endpoint) -> None:
    """Remember what is known of a server, in the place of what was known before."""
    library.keep_facts(endpoint.identity, encode(endpoint.capabilities))


def _at_once(settings: Settings) -> int:
    """Calls at the same time, at most: as many as the settings allow, and a file on this computer bears."""
    file = gguf_path(settings.model, settings.base_url)
    return settings.parallel if file is None else min(settings.parallel, SLOTS)


def _known(library: Library | None, server: str) -> Capabilities | None:
    """What was found out before; nothing, where that cannot be read any more."""
    data = library.facts(server) if library is not None else None
    try:
        return decode_as(data, Capabilities) if data else None
    except BadReplyError:
        return None


def prices_of(settings: Settings) -> Prices:
    """The price table with the user's own entries."""
    return Prices.default().extended({name: Price(*pair) for name, pair in settings.prices.items()})
