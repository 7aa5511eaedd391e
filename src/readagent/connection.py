"""From settings to a model one can rely on: an endpoint with limits, retries, a budget and a cache around it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from readagent.core.model import Hinter, Model
from readagent.core.window import Window
from readagent.embedded.engine import SLOTS, Engine, EngineEndpoint, gguf_path
from readagent.embedded.local import LOCAL, local_embedder, local_model
from readagent.errors import BadReplyError, ContextOverflowError, ReadAgentError
from readagent.library import Library
from readagent.models.budget import Budget, Budgeted
from readagent.models.cache import Cached
from readagent.models.capabilities import Capabilities
from readagent.models.endpoint import Endpoint
from readagent.models.limits import Limited, Slots, shared_slots
from readagent.models.prices import FREE, Price, Prices
from readagent.models.providers import resolve
from readagent.models.retry import Retrying
from readagent.models.wire import decode_as, encode
from readagent.retrieval.hints import WordHinter
from readagent.settings import Settings

T = TypeVar("T")


class Connection:
    """The model that the settings name, or the user's ``own``, connected when it is first needed.

    ``run`` tells repetitions apart: each has replies of its own.
    """

    def __init__(self, settings: Settings, library: Library, own: Model | None = None, run: int = 0) -> None:
        self._settings, self._library, self._own, self._run = settings, library, own, run
        self._model: Cached | None = None
        self._endpoint: Endpoint | None = None
        self._end: Callable[[], Awaitable[None]] | None = None
        self._window: Window | None = None

    async def model(self) -> Cached:
        """Return the model with all its wrappers."""
        if self._model is None:
            self._model = Cached(await self._connected(), self._library, run=self._run, leases=self._library.leases)
        return self._model

    async def window(self) -> Window:
        """Return the window that was given, that the server reports, or that was learnt from an overflow."""
        if self._window is None:
            await self.model()
            tokens = self._settings.window
            if tokens is None and self._endpoint is not None:
                tokens = await self._endpoint.window()
            self._window = Window(tokens)
        return self._window

    async def within_window(self, attempt: Callable[[Window], Awaitable[T]]) -> T:
        """Run ``attempt``; after an overflow run it again with the smaller window that was learnt.

        Replies that were paid for are kept, so a second attempt does not ask for them again.
        """
        model = await self.model()
        while True:
            window = await self.window()
            try:
                return await attempt(window)
            except ContextOverflowError as error:
                self._window = window.after_overflow(error)
                if self._endpoint is not None:
                    self._endpoint.learn_window(self._window.tokens)
            except ReadAgentError:
                await model.drain()
                raise

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close the connection."""
        if self._model is not None:
            await self._model.drain()
        if self._end is not None:
            await self._end()
        self._model = self._endpoint = self._end = None

    async def _connected(self) -> Model:
        """Connect. The server is asked for its model's name only where none was given."""
        settings = self._settings
        if self._own is not None:
            return _limited(self._own, settings, Slots(settings.parallel), prices_of(settings).of(self._own.name))
        if is_local(settings):
            reader = local_model(settings.home, self._library, by_likelihood=settings.pauses_by == "likelihood")
            self._end = reader.aclose
            return _limited(reader, settings, Slots(1), FREE)
        endpoint = endpoint_of(settings, self._library)
        self._endpoint, self._end = endpoint, endpoint.aclose
        await endpoint.resolve_model()
        endpoint.capabilities = _known(self._library, endpoint.identity) or endpoint.capabilities
        own = isinstance(endpoint, EngineEndpoint)
        slots = Slots(_at_once(settings)) if own else shared_slots(endpoint.base_url, _at_once(settings))
        return _limited(endpoint, settings, slots, endpoint.price)


def is_local(settings: Settings) -> bool:
    """Whether the embedded reader is used: it is named, or no model is."""
    return not settings.base_url and settings.model in ("", LOCAL)


def hinter_of(settings: Settings, library: Library) -> Hinter:
    """Return a search for hints: by words and by vectors where the embedded weights are installed, else by words."""
    embedder = local_embedder(settings.home, library)
    if embedder is None:
        return WordHinter()
    from readagent.retrieval.hybrid import HybridHinter

    return HybridHinter(embedder)


def _limited(model: Model, settings: Settings, slots: Slots, price: Price | None) -> Model:
    """Wrap a model with slots, retries and the user's budget."""
    budget = Budget(settings.max_tokens, settings.max_cost)
    return Budgeted(Retrying(Limited(model, slots)), budget, price=price)


def endpoint_of(settings: Settings, library: Library | None = None) -> Endpoint:
    """Return the endpoint of a server. What is found out about the server is remembered in the library, if any."""

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
    target = resolve(settings.model, settings.base_url, os.environ)
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
    """Remember what is known of a server, in place of what was known before."""
    library.keep_facts(endpoint.identity, encode(endpoint.capabilities))


def _at_once(settings: Settings) -> int:
    """Return the maximum number of concurrent calls; a file on this machine allows fewer."""
    file = gguf_path(settings.model, settings.base_url)
    return settings.parallel if file is None else min(settings.parallel, SLOTS)


def _known(library: Library, server: str) -> Capabilities | None:
    """Return what was found out about a server before; None where that can no longer be decoded."""
    data = library.facts(server)
    try:
        return decode_as(data, Capabilities) if data else None
    except BadReplyError:
        return None


def prices_of(settings: Settings) -> Prices:
    """Return the price table with the user's own entries."""
    return Prices.default().extended({name: Price(*pair) for name, pair in settings.prices.items()})


def price_of(settings: Settings) -> Price | None:
    """Return the price of the model that the settings name, without connecting; None where it is unknown."""
    if not settings.model and not settings.base_url:
        return None
    if gguf_path(settings.model, settings.base_url) is not None:
        return FREE
    target = resolve(settings.model, settings.base_url, {})
    return Endpoint(target.base_url, target.model, prices=prices_of(settings)).price
