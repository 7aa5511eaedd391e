"""Readers: the model that a caller asks for, as the reader of what the caller has sent. Replies are kept by caller."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from math import ceil

from readagent.connection import file_of, is_local, known_facts, prices_of
from readagent.core.concurrency import Outage
from readagent.core.model import Ask, Reply
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.errors import UsageError
from readagent.library import Library
from readagent.library.token_facts import TokenFacts
from readagent.models.cache import Cached
from readagent.models.endpoint import Endpoint
from readagent.models.ledger import Budget, Ledger, Payer
from readagent.models.limits import shared_slots
from readagent.models.providers import Keys, Target, resolve
from readagent.models.retry import Retries, Retrying
from readagent.models.wire import encode
from readagent.proxy.background import GistWriter
from readagent.proxy.callers import Caller
from readagent.proxy.known_gists import KnownGists
from readagent.proxy.memory import PageMemory
from readagent.proxy.report import Report
from readagent.proxy.window import ModelWindow
from readagent.settings import Settings

_PATIENCE = 30.0  # seconds; a caller waits meanwhile
_MOST = 64  # readers that are kept ready
_CONVERSATIONS = 256
_STEPS = 50
_LEAST_COUNTED = 0.6  # tokens for each estimated one
_REFUSED_AT_FIRST = 2  # own calls, before any is answered, which show that the server refuses all of them


def target_of(settings: Settings) -> Target:
    """Return the server that the settings name; raise UsageError if they name none."""
    if is_local(settings) or file_of(settings) is not None:
        raise UsageError(
            "the proxy needs a model server", hint="name a model on one, such as ollama/qwen3:8b, or set `base_url`"
        )
    return resolve(settings.model, settings.base_url, Keys(os.environ, settings.home), settings.key_server)


def _keep_facts(library: Library, endpoint: Endpoint) -> None:
    """Remember what is known of a server for all callers: not a window that contradicts what the server lists."""
    known, listed = endpoint.capabilities, endpoint.listed_window or 0
    if known.window is not None and known.window < listed:
        known = replace(known, window=None)
    library.keep_facts(endpoint.identity, encode(known))


CURRENT: ContextVar[Report | None] = ContextVar("readagent_proxy_report", default=None)  # of the request of a task


def _note_sent() -> None:
    """Note that a call is sent, also one that fails, for the current request."""
    if (report := CURRENT.get()) is not None:
        report.calls += 1


class _OfCaller:
    """A model whose replies are one caller's own: they are kept under a name that has the caller's."""

    def __init__(self, model: Retrying, caller: str) -> None:
        self._model, self.name = model, f"{model.name} caller={caller}"

    async def complete(self, ask: Ask) -> Reply:
        return await self._model.complete(ask)


class Reader:
    """A model that reads for one caller."""

    def __init__(self, endpoint: Endpoint, model: Cached, prompts: Prompts, window: ModelWindow) -> None:
        self.endpoint, self._model, self._prompts, self.window = endpoint, model, prompts, window
        self.known = KnownGists()
        self.users = 0
        self._ratios: OrderedDict[str, float] = OrderedDict()  # by the first page of a conversation

    def session(self, window: Window) -> Session:
        """Return a session for one request, with the window of our own calls."""
        trace, outage = Trace(keep_text=False), Outage(refused_at_first=_REFUSED_AT_FIRST)
        return Session(self._model, self._prompts, window=window, trace=trace, outage=outage, unusable="keep")

    def ratio(self, memory: PageMemory) -> float | None:
        """Return the tokens that the server counts for each estimated one in a conversation, if it has counted any."""
        return self._ratios.get(memory.pages[0].text)

    def note_ratio(self, memory: PageMemory, counted: int, estimated: int) -> None:
        """Keep the most that the server has counted in a conversation: some do not count what they have cached."""
        key = memory.pages[0].text
        new = ceil(_STEPS * counted / estimated) / _STEPS  # prompts change with it
        self._ratios[key] = max(new, self._ratios.pop(key, _LEAST_COUNTED))
        if len(self._ratios) > _CONVERSATIONS:
            self._ratios.popitem(last=False)

    def rest(self) -> None:
        """Forget what is only of use while requests are being worked on."""
        self._model.forget_discarded()

    async def aclose(self) -> None:
        """Wait for calls in flight, and close the connection."""
        await self._model.drain()
        await self.endpoint.aclose()


class Readers:
    """The readers of all callers; those that were used last are kept ready."""

    def __init__(self, settings: Settings, library: Library) -> None:
        self._settings, self._library = settings, library
        self.target = target_of(settings)
        self.patience = min(_PATIENCE, settings.patience)
        self._prompts = Prompts.load(settings.prompts)
        self._ledger = Ledger(Budget(settings.max_tokens, settings.max_cost))
        self._ready: OrderedDict[tuple[str, str], Reader] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()
        self.writer = GistWriter()

    @asynccontextmanager
    async def reader(self, caller: Caller, model: str) -> AsyncIterator[Reader]:
        """Yield the reader for a model and a caller."""
        key = (caller.name, model)
        if key not in self._ready:
            self._ready[key] = self._made(caller, model)
        self._ready.move_to_end(key)
        reader = self._ready[key]
        reader.users += 1
        try:
            yield reader
        finally:
            reader.users -= 1
            if not reader.users:
                reader.rest()
            self._tidy()

    def _tidy(self) -> None:
        """Close readers that were not used for long, if there are too many."""
        idle = [key for key, reader in self._ready.items() if not reader.users]
        for key in idle[: max(0, len(self._ready) - _MOST)]:
            closing = asyncio.create_task(self._ready.pop(key).aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _made(self, caller: Caller, model: str) -> Reader:
        settings, library = self._settings, self._library
        key = caller.key
        endpoint = Endpoint(
            self.target.base_url,
            model,
            key=key,
            temperature=settings.temperature,
            timeout=settings.timeout,
            silence=settings.silence,
            window=settings.window,
            prices=prices_of(settings),
            headers=[one for one in caller.credentials if not key or one[0] != "authorization"],
            options=settings.model_options,
            on_send=_note_sent,
            remember=lambda capabilities: _keep_facts(library, endpoint),
        )
        endpoint.capabilities = known_facts(library, endpoint.identity) or endpoint.capabilities
        endpoint.counter = TokenFacts(library).counter(model, endpoint.identity)
        payer = Payer(
            self._ledger,
            price=endpoint.price,
            counter=endpoint.counter,
            longest=endpoint.longest_reply,
            title=model,
        )
        account = f"{endpoint.base_url} {caller.name}"  # one caller's rate limit is not another's
        slots = shared_slots(account, settings.parallel, settings.requests_per_minute, settings.tokens_per_minute)
        retrying = Retrying(endpoint, Retries(slots, patience=self.patience), payer)
        kept = Cached(_OfCaller(retrying, caller.name), library, leases=library.leases)
        return Reader(endpoint, kept, self._prompts, ModelWindow(endpoint, library))

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close all connections."""
        await self.writer.aclose()
        readers = list(self._ready.values())
        self._ready.clear()
        await asyncio.gather(*(reader.aclose() for reader in readers), *self._closing)
