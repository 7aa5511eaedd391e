"""Readers: the model that a caller asks for, as the reader of what the caller has sent. Replies are kept by caller."""

from __future__ import annotations

import asyncio
import math
import os
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from readagent.connection import file_of, is_local, known_facts, prices_of
from readagent.core.concurrency import Outage
from readagent.core.model import Ask, Reply
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import TokenEstimate
from readagent.core.trace import Trace
from readagent.core.window import SMALLEST, Window
from readagent.errors import ContextOverflowError, UsageError
from readagent.library import Library
from readagent.library.token_facts import TokenFacts
from readagent.models.cache import Cached
from readagent.models.endpoint import Endpoint
from readagent.models.ledger import Budget, Ledger, Payer
from readagent.models.limits import shared_slots
from readagent.models.providers import Keys, Target, resolve
from readagent.models.retry import Retries, Retrying
from readagent.models.wire import encode
from readagent.proxy.callers import Caller
from readagent.proxy.chat import ChatRequest, pictures
from readagent.proxy.memory import KnownGists
from readagent.proxy.own_calls import note_sent
from readagent.proxy.window_probe import Bounds, KnownBounds, WindowProbe
from readagent.settings import Settings

_PATIENCE = 30.0  # seconds; a caller waits meanwhile
_FAR = 0.5  # of a size in tokens: less than this is far less, however low the estimate is
_ABOUT = 0.75  # of a size that is only estimated
_MOST = 64  # readers that are kept ready
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


class _OfCaller:
    """A model whose replies are one caller's own: they are kept under a name that has the caller's."""

    def __init__(self, model: Retrying, caller: str) -> None:
        self._model, self.name = model, f"{model.name} caller={caller}"

    async def complete(self, ask: Ask) -> Reply:
        return await self._model.complete(ask)


class Reader:
    """A model that reads for one caller."""

    def __init__(self, endpoint: Endpoint, model: Cached, prompts: Prompts, bounds: KnownBounds) -> None:
        self.endpoint, self._model, self._prompts, self._bounds = endpoint, model, prompts, bounds
        self._tokens: int | None = None  # a window that was learnt here, named or guessed
        self.known = KnownGists()
        self.window_probe = WindowProbe()
        self.users = 0

    async def window(self) -> Window:
        """Return the window of the model, as far as it is known."""
        sizes = [size for size in (self._tokens, await self.endpoint.window()) if size is not None]
        known = min(sizes, default=None)
        tokens = known if known is not None and known >= SMALLEST else None
        return Window(tokens, self._counter)

    @property
    def _counter(self) -> TokenEstimate:
        """Estimates that are never lowered: a language may have many more tokens than another in the same script."""
        return self.endpoint.counter.snapshot().at_least(1.0)

    @property
    def listed(self) -> int | None:
        """The window that the server itself lists, if it does."""
        return self.endpoint.reported

    @property
    def refuses_long(self) -> bool:
        """Whether the server is known to refuse a prompt that is too long, and not to cut it.

        A window that the user has given need not be the server's, which then accepts more.
        """
        known = self.endpoint.refuses_long
        given = self.endpoint.listed_window is not None and self.listed is None
        return not given and (self.bounds.refusing if known is None else known)

    @property
    def bounds(self) -> Bounds:
        """What is known of a window that the server does not tell, from the requests of all callers."""
        return self._bounds.of(self.endpoint.identity)

    def note_refusing(self) -> None:
        """Note that the server has refused a request that is too long."""
        if not self.bounds.refusing:
            self.bounds.refusing = True
            self._bounds.keep(self.endpoint.identity)

    def note_accepted(self, tokens: int, bounds: Bounds | None = None) -> None:
        """Note that the server has answered a request of about so many tokens, and the ``bounds`` found with it."""
        if bounds is not None and bounds.refused is not None:
            self.bounds.take_over(bounds)
        self.bounds.note_accepted(tokens)
        if self.bounds.refused is not None:
            self._bounds.keep(self.endpoint.identity)

    def believed(self, error: ContextOverflowError, chat: ChatRequest) -> ContextOverflowError:
        """Return an error without numbers that cannot be true. Raise UsageError if the request cannot be too long.

        A request is not too long that is far shorter than what the server lists, or has accepted; its window is not
        smaller than that, nor far larger than what it has refused. Pictures cannot be counted, and show nothing. If the
        server adds something to a request that is far shorter than the window, making it shorter is of no use.
        """
        if error.asked is None or any(map(pictures, chat.messages)):
            return error
        accepted = max(self.endpoint.longest_accepted, self.bounds.accepted)
        asked = error.asked + (chat.longest_reply or 0)
        named = error.window if chat.uncounted else None
        if asked < _FAR * max(accepted, self.endpoint.listed_window or 0, named or 0):
            raise UsageError("the server refuses a short request as too long")
        if error.window is not None and not _ABOUT * accepted <= error.window <= asked / _FAR:
            error.window = error.prompt_tokens = None
        return error

    def learn(self, window: Window, error: ContextOverflowError, prompt: str = "", *, plain: bool = True) -> Window:
        """Return the window to go on with after the server has refused a prompt as too long.

        A window that the server names is kept, and never a smaller one. Where it names none, a guess is kept if the
        prompt was ``plain`` text; how long others are cannot be told, so that the guess is for this request alone. If
        the ``prompt`` is given, and the server says how many tokens it has, the estimates are corrected. Raise an error
        if the window would be too small.
        """
        told = bool(prompt) and error.prompt_tokens is not None
        if told and error.prompt_tokens is not None:
            self.endpoint.counter.learn(prompt, error.prompt_tokens)
        learnt = window.after_overflow(error, corrected=told)
        if error.window is not None:
            self._keep(error.window)
        elif plain and learnt.tokens != window.tokens:
            self._tokens = learnt.tokens
        return replace(learnt, counter=self._counter)

    def guess(
        self, window: Window, bounds: Bounds, error: ContextOverflowError, reply: int | None, prompt: str = ""
    ) -> Window:
        """Return a smaller window to go on with where the server names none. Raise the error if it is too small."""
        if prompt and error.prompt_tokens is not None:
            self.endpoint.counter.learn(prompt, error.prompt_tokens)
        bounds.note_refused((error.prompt_tokens or error.asked or 0) + (reply or 0), window.tokens)
        if bounds.window < SMALLEST:
            raise error
        return Window(bounds.window, self._counter)

    def after_own(self, window: Window, error: ContextOverflowError, bounds: Bounds | None) -> Window:
        """Return the window to go on with after one of our own calls was refused as too long; see ``learn``."""
        if error.window is None and error.asked is not None and error.asked < _FAR * (self.listed or 0):
            if not self.endpoint.longest_accepted:
                raise error
            return window  # others are answered that are as long: it is about this text
        if bounds is None or error.window is not None:
            return self.learn(window, error)
        if not bounds.note_own_refused():
            raise error
        return window

    def uncounted(self, window: Window, error: ContextOverflowError) -> tuple[Window, int] | None:
        """Return the window, and how many tokens more than estimated a prompt has that fills it; None if not told."""
        sizes = [tokens for tokens in (error.window, window.tokens) if tokens is not None]
        real, asked = error.prompt_tokens, error.asked
        if not sizes or min(sizes) < SMALLEST or not real or not asked or real <= asked:
            return None
        if error.window is not None:
            self._keep(error.window)
        return replace(window, tokens=min(sizes)), math.ceil((real - asked) * min(1.0, min(sizes) / real))

    def _keep(self, stated: int) -> None:
        """Keep a window that the server has named, unless a smaller one was known.

        One that is smaller than the server lists is kept for this caller only.
        """
        if stated >= SMALLEST and (self._tokens is None or stated < self._tokens):
            self._tokens = stated
            if stated >= (self.endpoint.listed_window or 0):
                self.endpoint.learn_window(stated)

    def session(self, window: Window, bounds: Bounds | None = None) -> Session:
        """Return a session for one request. If its window is a guess, our own calls have the ``bounds``."""
        if bounds is not None:
            self.endpoint.assume_window(bounds.own_window)
            window = replace(window, tokens=bounds.own_window)
        trace, outage = Trace(keep_text=False), Outage(refused_at_first=_REFUSED_AT_FIRST)
        return Session(self._model, self._prompts, window=window, trace=trace, outage=outage, unusable="keep")

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
        self._bounds = KnownBounds(library)
        self._closing: set[asyncio.Task[None]] = set()

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
            on_send=note_sent,
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
        return Reader(endpoint, kept, self._prompts, self._bounds)

    async def aclose(self) -> None:
        """Wait for calls in flight, so that what was paid for is kept, and close all connections."""
        readers = list(self._ready.values())
        self._ready.clear()
        await asyncio.gather(*(reader.aclose() for reader in readers), *self._closing)
