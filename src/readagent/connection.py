"""From settings to a model one can rely on: an endpoint with limits, retries, a budget and a cache around it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from readagent.core.model import Model
from readagent.core.session import record
from readagent.core.tokens import TokenCounter, TokenEstimate
from readagent.core.trace import Trace, Usage
from readagent.core.window import Window
from readagent.embedded.gguf import SLOTS
from readagent.embedded.local import is_local_name, local_model, model_path, model_to_run, writer_path
from readagent.embedded.weights import steps_to_reader
from readagent.errors import (
    BadReplyError,
    ContextOverflowError,
    ModelError,
    ReadAgentError,
)
from readagent.library import Library
from readagent.library.token_facts import TokenFacts
from readagent.models.cache import Cached
from readagent.models.fair_queue import rates
from readagent.models.hosts import redacted
from readagent.models.ledger import Budget, Ledger, Payer, note_spending
from readagent.models.limits import Limiter, Slots, shared_slots
from readagent.models.prices import FREE, Price, Prices
from readagent.models.providers import Keys, has_own_server, resolve
from readagent.models.request import Capabilities
from readagent.models.retry import Retries, Retrying
from readagent.models.waiting import Notify
from readagent.models.wire import decode_as, encode
from readagent.private_loop import agent_closed
from readagent.settings import Settings

if TYPE_CHECKING:
    from readagent.models.endpoint import Endpoint

T = TypeVar("T")
_WINDOW_PATIENCE = 60.0  # seconds to wait for a busy server that is asked for the window
_CORRECTIONS = 3  # overflows in a row that are blamed on the estimates; then the window is made smaller


class Connection:
    """The model that the settings name, or the user's ``own``, connected when it is first needed.

    ``run`` tells repetitions apart: each has replies of its own. ``ledger`` has the budget for calls, by default that
    of the settings, and what was spent of it. With a ``limiter``, it decides when calls are sent, and not the rates of
    the settings.
    """

    def __init__(
        self,
        settings: Settings,
        library: Library,
        own: Model | None = None,
        run: int = 0,
        ledger: Ledger | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        self._settings, self._library, self._own, self._run = settings, library, own, run
        self._limiter = limiter
        self.ledger = ledger or Ledger(Budget(settings.max_tokens, settings.max_cost))
        self._model: Cached | None = None
        self._endpoint: Endpoint | None = None
        self._end: Callable[[], Awaitable[None]] | None = None
        self._window: Window | None = None
        self._slots: Slots | None = None
        self._connecting = asyncio.Lock()
        self._in_use = 0  # how many attempts are being made
        self._closed = False
        self._estimates: TokenEstimate | None = None  # those to use instead of what is learnt from replies
        self._tokens = TokenFacts(library)
        self.on_wait: Notify | None = None  # told when connecting has to wait
        self.on_send: Callable[[], None] | None = None  # called before each call that the library cannot answer

    @property
    def is_local(self) -> bool:
        """Whether the embedded reader answers."""
        return self._own is None and is_local(self._settings)

    @property
    def runs_here(self) -> bool:
        """Whether the model runs in a process of ours: the embedded reader, or a GGUF file."""
        return self._own is None and (is_local(self._settings) or file_of(self._settings) is not None)

    async def model(self) -> Cached:
        """Return the model with all its wrappers."""
        self.require_open()
        if self._model is None:
            async with self._connecting:
                if self._model is None:
                    self._model = Cached(
                        await self._connected(),
                        self._library,
                        run=self._run,
                        leases=self._library.leases,
                        uses_material=self.is_local or getattr(self._own, "uses_material", False),
                    )
        return self._model

    def require_open(self) -> None:
        """Raise UsageError if the connection is closed."""
        if self._closed:
            raise agent_closed()

    @property
    def documents_at_once(self) -> int:
        """How many documents are read at once: enough to keep every slot busy, and one if there is only one slot."""
        if self.is_local:
            return 1
        slots = self._settings.parallel if self._own is not None else _at_once(self._settings)
        return 1 if slots == 1 else 2 * slots

    async def window(self, reading: str = "") -> Window:
        """Return the window that was given, that the server reports, or that was learnt from an overflow.

        Its estimates of tokens do not change: they are the newest, or those that the ``reading`` began with. After
        ``keep_estimates`` they are always the same.
        """
        self.require_open()
        if self._window is None:
            await self.model()
            async with self._connecting:
                if self._window is None:
                    self._window = await self._found_window()
        if self._estimates is not None:
            return replace(self._window, counter=self._estimates)
        newest = self._counter().snapshot()
        return replace(self._window, counter=self._tokens.begun_with(reading, newest) if reading else newest)

    async def keep_estimates(self) -> None:
        """Estimate tokens by the model's name alone, so that what fits a prompt does not depend on earlier replies.

        That ends when the server refuses a prompt as too long: from then on, its counts correct the estimates.
        """
        await self.model()
        self._estimates = TokenEstimate(self._counter().family)

    async def _found_window(self) -> Window:
        tokens = self._settings.window
        if tokens is None and self._endpoint is not None:
            await self._ask_for_window(self._endpoint)
            tokens = await self._endpoint.window()
        return Window(tokens)

    async def within_window(
        self, attempt: Callable[[Window], Awaitable[T]], reading: str = "", trace: Trace | None = None
    ) -> T:
        """Run ``attempt``; after an overflow run it again with the window and the estimates that were learnt from it.

        Replies that were paid for are kept, so a second attempt does not ask for them again. A ``reading`` uses the
        estimates that it began with until an overflow shows that they are wrong. Calls in flight that an attempt leaves
        behind are added to the ``trace`` at the end, unless a later attempt used their replies. An error at the end has
        a note that says what was spent.
        """
        model = await self.model()
        corrections = 0
        self._in_use += 1
        try:
            while True:
                window = await self.window(reading)
                try:
                    result = await attempt(window)
                    if corrections:
                        await _record_abandoned(model, trace)
                    return result
                except ContextOverflowError as error:
                    corrections += 1
                    self._estimates = None
                    self._window = self._learnt(window.after_overflow(error, corrected=corrections <= _CORRECTIONS))
                    if reading:
                        self._tokens.begin_again(reading)
                    if self._endpoint is not None and self._window.tokens != window.tokens:
                        self._endpoint.learn_window(self._window.tokens)
        except ReadAgentError as error:
            await model.settle()
            await _record_abandoned(model, trace)
            paid = [call.usage for call in trace.calls if call.paid] if trace is not None else []
            note_spending(error, len(paid), sum(paid, Usage()))
            raise
        finally:
            self._in_use -= 1
            if not self._in_use:  # otherwise another attempt may need them
                model.forget_discarded()

    def _learnt(self, window: Window) -> Window:
        """Return a window that was learnt, not larger than what another attempt has learnt meanwhile."""
        known = self._window.tokens if self._window is not None else None
        larger = known is not None and (window.tokens is None or window.tokens > known)
        return replace(window, tokens=known) if larger else window

    def _counter(self) -> TokenCounter:
        """Return the counter of the endpoint, which learns from replies, or a new one for a model without endpoint."""
        if self._endpoint is not None:
            return self._endpoint.counter
        return TokenCounter("" if self._own is None else self._own.name)

    async def settle(self) -> None:
        """Wait for calls in flight whose callers are gone; their replies are kept."""
        if self._model is not None:
            await self._model.settle()

    async def end_calls(self) -> None:
        """End calls in flight: nobody needs their replies any more."""
        if self._model is not None:
            await self._model.drain(end=True)

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close the connection.

        Calls of a GGUF file, which cost nothing and may take minutes, are ended.
        """
        self._closed = True
        if self._model is not None:
            await self._model.drain(end=self._own is None and file_of(self._settings) is not None)
        if self._end is not None:
            await self._end()
        self._model = self._endpoint = self._end = None

    async def _connected(self) -> Model:
        """Connect. The server is asked for its model's name only where none was given."""
        settings = self._settings
        if self._own is not None:
            name = self._own.name
            payer = Payer(self.ledger, price=prices_of(settings).of(name), title=name)
            return self._retried(self._own, _slots(settings, settings.parallel, limiter=self._limiter), payer)
        if is_local(settings):
            writer = writer_path(settings.model, settings.home)
            reader = local_model(settings.home, self._library, named=bool(settings.model), writer=writer)
            self._end = reader.aclose
            return self._retried(reader, Slots(1), Payer(self.ledger, price=FREE))
        endpoint = endpoint_of(settings, self._library)
        self._endpoint, self._end = endpoint, endpoint.aclose
        own = file_of(settings) is not None
        slots = _slots(settings, _at_once(settings), "" if own else endpoint.base_url, self._limiter)
        self._slots = slots
        if not endpoint.model:
            resolve_model = partial(endpoint.resolve_model, only=settings.only_model)
            await Retries(slots, patience=settings.patience).call(resolve_model, notify=self.on_wait)
        endpoint.capabilities = known_facts(self._library, endpoint.identity) or endpoint.capabilities
        endpoint.counter = self._tokens.counter(endpoint.model, endpoint.identity)
        payer = Payer(
            self.ledger,
            price=endpoint.price,
            counter=endpoint.counter,
            longest=endpoint.longest_reply,
            title=endpoint.model,
        )
        return self._retried(endpoint, slots, payer)

    async def _ask_for_window(self, endpoint: Endpoint) -> None:
        """Ask the server for the window, and wait a little if it is busy. Without it, reading can begin as well."""
        try:
            await endpoint.fetch_window()
        except ModelError:
            assert self._slots is not None
            retries = Retries(self._slots, patience=min(_WINDOW_PATIENCE, self._settings.patience))
            with suppress(ModelError):
                await retries.call(endpoint.fetch_window, notify=self.on_wait)

    def _retried(self, model: Model, slots: Slots, payer: Payer) -> Model:
        """Let the calls of a model take turns, and repeat those that fail. A call is charged when it is sent."""
        retries = Retries(slots, patience=self._settings.patience)
        return Retrying(model, retries, payer, on_send=lambda: self.on_send() if self.on_send else None)


async def _record_abandoned(model: Cached, trace: Trace | None) -> None:
    """Wait for the calls that failed attempts have left behind, and add those that no other attempt used."""
    if trace is not None:
        for ask, reply in await model.abandoned():
            record(trace, ask, reply)


def is_local(settings: Settings) -> bool:
    """Whether the embedded reader is used: it is named, or no model is."""
    return not settings.base_url and (not settings.model or is_local_name(settings.model))


def uses_own_server(settings: Settings) -> bool:
    """Whether the server of OPENAI_BASE_URL is asked for its only model: none is named, and no reader is installed."""
    named = settings.model or settings.base_url
    return not named and has_own_server(os.environ) and bool(steps_to_reader(settings.home))


def file_of(settings: Settings) -> Path | None:
    """Return the GGUF file of the model that the settings name, whether it is there or not; None for a server."""
    return model_path(settings.model, settings.base_url, settings.home)


def _slots(settings: Settings, most: int, server: str = "", limiter: Limiter | None = None) -> Slots:
    """Return the slots for a server, shared by all agents that use it, or slots of an agent's own."""
    if limiter is not None:
        return Slots(most, limiter=limiter)
    requests, tokens = settings.requests_per_minute, settings.tokens_per_minute
    return shared_slots(server, most, requests, tokens) if server else Slots(most, limits=rates(requests, tokens))


def endpoint_of(settings: Settings, library: Library | None = None, keys: Keys | None = None) -> Endpoint:
    """Return the endpoint of a server. What is found out about the server is remembered in the library, if any.

    The ``keys`` are those of the environment and those that are kept, unless others are given.
    """

    def remember(capabilities: Capabilities) -> None:
        if library is not None:
            keep_facts(library, endpoint)

    endpoint: Endpoint
    file = model_to_run(settings.model, settings.base_url, settings.home)
    if file is not None:
        from readagent.embedded.engine import Engine, EngineEndpoint

        engine = Engine(file, window=settings.window, parallel=_at_once(settings))
        endpoint = EngineEndpoint(
            engine,
            own=True,
            temperature=settings.temperature,
            timeout=settings.timeout,
            options=settings.model_options,
            remember=remember,
        )
        return endpoint
    from readagent.models.endpoint import Endpoint

    keys = keys or Keys(os.environ, settings.home)
    target = resolve(settings.model, settings.base_url, keys, settings.key_server)
    endpoint = Endpoint(
        target.base_url,
        target.model,
        key=target.key,
        key_hint=target.key_hint,
        temperature=settings.temperature,
        timeout=settings.timeout,
        silence=settings.silence,
        window=settings.window,
        prices=prices_of(settings),
        options=settings.model_options,
        remember=remember,
    )
    return endpoint


def keep_facts(library: Library, endpoint: Endpoint) -> None:
    """Remember what is known of a server, in place of what was known before."""
    library.keep_facts(endpoint.identity, encode(endpoint.capabilities))


def _at_once(settings: Settings) -> int:
    """Return the maximum number of concurrent calls; a file on this machine allows fewer."""
    file = file_of(settings)
    return settings.parallel if file is None else min(settings.parallel, SLOTS)


def known_facts(library: Library, server: str) -> Capabilities | None:
    """Return what was found out about a server before; None where that can no longer be decoded."""
    data = library.facts(server)
    try:
        return decode_as(data, Capabilities) if data else None
    except BadReplyError:
        return None


def prices_of(settings: Settings) -> Prices:
    """Return the price table with the user's own entries."""
    return Prices.default().extended({name: Price(*pair) for name, pair in settings.prices.items()})


def server_of(settings: Settings) -> str:
    """Return the address of the server that gets the texts, without credentials; "" if they are not sent anywhere."""
    if is_local(settings) or file_of(settings) is not None:
        return ""
    return redacted(resolve(settings.model, settings.base_url, os.environ).base_url)


def price_of(settings: Settings) -> Price | None:
    """Return the price of the model that the settings name, without connecting; None where it is unknown."""
    if not settings.model and not settings.base_url:
        return None
    if file_of(settings) is not None:
        return FREE
    from readagent.models.endpoint import Endpoint

    target = resolve(settings.model, settings.base_url, os.environ)
    return Endpoint(target.base_url, target.model, prices=prices_of(settings)).price
