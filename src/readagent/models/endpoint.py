"""Endpoint: a model on any OpenAI-compatible server. What the server cannot do is found out once and remembered."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from readagent.core.model import Ask, Reply
from readagent.core.tokens import TokenCounter
from readagent.core.trace import Usage
from readagent.core.window import SMALLEST
from readagent.errors import (
    ContextOverflowError,
    CutPromptError,
    ModelError,
    ReadAgentError,
    RejectedError,
    UnknownModelError,
)
from readagent.models.completion import Completion, emit, read_completion, read_stream
from readagent.models.hosts import is_private, redacted
from readagent.models.http import HttpClient, HttpReply, Transport
from readagent.models.prices import FREE, Price, Prices
from readagent.models.providers import KEY_HINT, not_one_model
from readagent.models.refusal import Refusal, error_from, read_refusal
from readagent.models.request import (
    CONSTRAINT,
    HARMLESS,
    Capabilities,
    adapt,
    can_afford,
    conforms,
    mentions_constraint,
    prompt_with,
    reply_cap,
    request_body,
)
from readagent.models.server_history import CutPrompts, ServerHistory
from readagent.models.server_info import fetch_limits, list_models, writing_models
from readagent.models.wire import encode

_PATH = "/chat/completions"
_MAX_ROUNDS = 12
_FEW_TOKENS = 256  # of a reply to a few words; reasoning models think about them first
_LONG = 2048  # tokens; a shorter prompt is hardly too long
_ADDED_TOKENS = 1_000_000  # more than any server adds to a prompt


class Endpoint:
    """A model on an OpenAI-compatible server.

    An empty ``model`` means the first that the server lists and that writes text; ``resolve_model`` fetches its name.
    ``capabilities`` are those known from earlier runs, and ``remember`` is called with them whenever something new was
    learnt. ``window`` overrides the window that the server reports. ``key_hint`` is the environment variable that hints
    about a missing or wrong key name. ``identity`` replaces server and model in the name, for servers whose address
    changes from run to run. ``timeout`` are the seconds for a whole reply, and ``silence`` those between two pieces of
    a streamed reply that has begun. ``counter`` estimates tokens, and learns from the counts that the server reports.
    ``options`` are sent with every request; one that the server refuses is an error. ``on_send`` is called before each
    request for a reply. ``transport`` replaces the network in tests.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_hint: str = KEY_HINT,
        temperature: float | None = 0.0,
        timeout: float = 600.0,
        silence: float = 60.0,
        window: int | None = None,
        prices: Prices | None = None,
        capabilities: Capabilities | None = None,
        remember: Callable[[Capabilities], None] | None = None,
        headers: Sequence[tuple[str, str]] = (),
        identity: str = "",
        counter: TokenCounter | None = None,
        options: Mapping[str, Any] | None = None,
        on_send: Callable[[], None] = lambda: None,
        transport: Transport | None = None,
    ) -> None:
        self.model = model
        self._on_send = on_send
        self.counter = counter or TokenCounter(model)
        self._identity = identity
        self.capabilities = capabilities or Capabilities()
        self._key = key = (key or "").strip() or None
        self._key_hint = key_hint
        self._temperature = temperature
        self._options = dict(options or {})
        self._silence = silence
        self._prices = prices
        self._remember = remember
        self._client = HttpClient(base_url, key=key, timeout=timeout, headers=headers, transport=transport)
        self._history = ServerHistory(self._client, window)
        self._cut_prompts: CutPrompts | None = None
        self._in_doubt = asyncio.Lock()

    @property
    def base_url(self) -> str:
        """The address of the server, without credentials."""
        return redacted(self._client.base_url)

    @property
    def identity(self) -> str:
        """Server and model. Capabilities are remembered under this key."""
        return self._identity or f"{self.base_url} {self.model}"

    @property
    def name(self) -> str:
        """Server, model and the settings that affect replies, without the key."""
        given = [] if self._temperature is None else [f"temperature={self._temperature:g}"]
        options = [f"{name}={encode(value).decode()}" for name, value in sorted(self._options.items())]
        return " ".join([self.identity, *given, *options])

    @property
    def price(self) -> Price | None:
        """The price that the user gave; otherwise 0 on private servers, and on others that of the table, if any."""
        prices = self._prices or Prices.default()
        return prices.own(self.model) or (FREE if is_private(self._client.base_url) else prices.of(self.model))

    async def resolve_model(self, *, only: bool = False) -> str:
        """Return the name of the model, which the server is asked for if none was given.

        With ``only``, a server that lists several raises UsageError.
        """
        if not self.model:
            names = await writing_models(self._client, self._key, self._key_hint)
            if only and len(names) != 1:
                raise not_one_model(self.base_url, names)
            if not names:
                raise UnknownModelError(
                    f"{self.base_url} lists no model that writes text", hint="name one with `model`"
                )
            self.model = names[0]
        return self.model

    async def lists_model(self) -> bool | None:
        """Whether the server lists the model; None if it lists no models at all."""
        try:
            names = await list_models(self._client)
        except ReadAgentError:
            return None
        return any(name in (self.model, f"models/{self.model}") for name in names) if names else None

    async def window(self) -> int | None:
        """Return the window in tokens, prompt and reply together; None if it is unknown."""
        await self._try_window()
        return self._history.tokens(self.capabilities, self._priced_window)

    async def fetch_window(self) -> None:
        """Ask the server for the window, unless it is known; raise the error of a busy server."""
        await self._history.fetch(self.model)

    async def _try_window(self) -> None:
        with suppress(ModelError):  # the server is asked again with the next call
            await self._history.fetch(self.model)

    @property
    def _priced_window(self) -> int | None:
        priced = self.price
        return priced.window if priced else None

    @property
    def listed_window(self) -> int | None:
        """The window that the user has given or the server has listed, as far as it was asked."""
        return self._history.listed

    @property
    def refuses_long(self) -> bool | None:
        """Whether the server refuses a prompt that is too long, and does not cut it; None if that is not known."""
        return self._history.refuses

    @property
    def longest_accepted(self) -> int:
        """The tokens of the longest prompt that was answered over this connection; 0 if none was."""
        return self._history.longest

    async def reported_window(self) -> int | None:
        """Return the window that the server reports, if it does. Raises UnreachableError if there is no server."""
        return (await fetch_limits(self._client, self.model)).window

    def longest_reply(self, size: int) -> int:
        """Return the tokens that a request with a prompt of ``size`` tokens allows for the reply."""
        return self._max_tokens(size, self.capabilities)

    def learn_window(self, tokens: int | None) -> None:
        """Remember a window that was learnt from a rejected prompt."""
        if tokens is not None and tokens >= SMALLEST:
            self._learn(replace(self.capabilities, window=tokens), self.capabilities)

    def assume_window(self, tokens: int) -> None:
        """Let prompt and reply together have so many tokens at most, as long as no window is known."""
        self._history.assumed = tokens

    async def complete(self, ask: Ask) -> Reply:
        """Return the server's reply. If it rejects a parameter, the request is repeated at once without it."""
        await self.resolve_model()
        if self.capabilities.window is None:
            await self._try_window()
        base, draft = self.capabilities.copy(), self.capabilities.copy()
        plain = False
        told: int | None = None  # the tokens that the server counted in the prompt
        for _ in range(_MAX_ROUNDS):
            constrained = not plain and draft.constrains(ask.choice or ask.form)
            prompt = prompt_with(ask, constrained=constrained)
            size = told or self.counter.count(prompt) + ask.picture_tokens
            longest = self._max_tokens(size, draft, ask.min_reply)
            body = self._body(ask, prompt, draft, longest, constrained=constrained)
            self._on_send()
            async with self._client.stream(_PATH, body, events=body.get("stream", False)) as response:
                result = await self._received(response, ask, draft)
            if isinstance(result, Completion):
                checked = await self._require_whole(prompt, result, ask, draft)
                self._check_constraint(ask, body, draft, result)
                self._note_answered(draft, body.get(reply_cap(draft) or "", 0), size, result.prompt_tokens or size)
                self._learn(draft, base)
                reply = self._reply(prompt, result, ask)
                return replace(reply, usage=reply.usage + checked)
            cap = body.get(reply_cap(draft) or "", 0)
            told = result.prompt_tokens or told
            size = told or size
            result = self._note_refused(result, prompt, ask, size)
            self._check_options(result)
            if ask.max_reply != result.reply_limit and can_afford(result, ask, cap):
                ask = replace(ask, max_reply=result.reply_limit)
            elif constrained and self.capabilities.constrain == "schema" and mentions_constraint(result):
                plain = True  # the server does constrain output, only not to this choice
            elif not adapt(draft, result, body, size, ask.min_reply):
                if await self._may_be_too_long(result, ask, size, base.accepted or 0, draft):
                    result = replace(result, kind="overflow")
                refusal = self._history.reconsidered(result, ask, size, cap, earlier=base.accepted, model=self.model)
                if refusal.kind == "unauthorized" and refusal.status == 403 and await self._key_works(draft):
                    refusal = replace(refusal, kind="other")
                raise await self._error(refusal, draft, cap)
        raise RejectedError(f"{self.base_url} rejects the request in every form that was tried")

    def _check_options(self, refusal: Refusal) -> None:
        """Raise RejectedError if the server refuses an option of the user."""
        said = " ".join([refusal.message.lower(), *refusal.codes])
        named = next((name for name in self._options if name.lower() in said), None)
        if named is not None and refusal.kind in ("parameter", "other"):
            raise RejectedError(
                f"{self.base_url} refuses the model option {named}: {refusal.message}",
                hint="give another value, or leave it out",
            )

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def _may_be_too_long(self, refusal: Refusal, ask: Ask, size: int, earlier: int, draft: Capabilities) -> bool:
        """Whether a refusal that nobody understands may mean that a prompt is too long.

        It is longer than any that was answered, and a few harmless words are answered.
        """
        unknown = refusal.kind == "other" and refusal.status in (400, 413, 422) and not ask.picture
        longest = max(_LONG, earlier, self._history.longest)
        return unknown and size > longest and isinstance(await self._answer_to(HARMLESS, draft), Completion)

    async def _key_works(self, draft: Capabilities) -> bool:
        """Whether the server accepts the key for a few harmless words. If so, it refuses the text of a request."""
        result = await self._answer_to(HARMLESS, draft)
        self._history.accepts_key = isinstance(result, Completion) or result.kind != "unauthorized"
        return self._history.accepts_key

    async def _answer_to(self, ask: Ask, known: Capabilities) -> Completion | Refusal:
        """Return what the server says to an ask outside the reading, with a reply of a few words."""
        body = self._body(ask, ask.prompt, known, _FEW_TOKENS)
        self._on_send()
        return await self._received(await self._client.post(_PATH, body), ask, known)

    def _body(
        self, ask: Ask, prompt: str, known: Capabilities, longest: int, *, constrained: bool = False
    ) -> dict[str, Any]:
        return request_body(
            ask, self.model, prompt, known, longest, self._temperature, self._options, constrained=constrained
        )

    async def _require_whole(self, prompt: str, done: Completion, ask: Ask, draft: Capabilities) -> Usage:
        """Raise CutPromptError if the server has cut the prompt. Returns what it cost to make sure that it has not."""
        if done.prompt_tokens is None or ask.picture:
            return Usage()
        error, checked = await self.cut(prompt, done.prompt_tokens, done.apart_tokens, draft)
        if error is None:
            return checked
        assert error.window is not None
        self._history.refuse(error.window)
        self.learn_window(error.window)
        spent = self._usage(prompt, done, ask) + checked
        error.prompt_total, error.reply_total, error.cost = spent.prompt_tokens, spent.reply_tokens, spent.cost
        raise error

    async def cut(
        self, prompt: str, counted: int, apart: int = 0, draft: Capabilities | None = None
    ) -> tuple[CutPromptError | None, Usage]:
        """Return the error for a prompt that the server has cut, if it has, by the tokens that it ``counted``.

        ``apart`` are those that it has told apart, since it had cached them. A count that leaves these out looks like
        that of a prompt that was cut: then the prompt is sent again after some numbers, and the cost is returned, too.
        """
        cuts = self._cut_prompts = self._cut_prompts or CutPrompts(self.counter)
        if not cuts.doubts(prompt, counted + apart):
            cuts.was_whole(counted)
            return None, Usage()
        async with self._in_doubt:  # what one prompt shows may settle the others
            if not cuts.doubts(prompt, counted + apart):
                return None, Usage()
            if cuts.is_known(prompt, counted):
                return cuts.error(prompt, counted), Usage()
            ask, known = Ask("respond", cuts.marked(prompt)), draft or self.capabilities
            result = await self._answer_to(ask, known)
            if not isinstance(result, Completion):
                raise error_from(result, model=self.model, key_hint=self._key_hint, has_key=self._key is not None)
            checked, again = self._usage(ask.prompt, result, ask), result.prompt_tokens
            cut = again is not None and cuts.is_cut(prompt, counted, again)
            return (cuts.error(prompt, counted) if cut else None), checked

    def _max_tokens(self, size: int, known: Capabilities, least: int = 0) -> int:
        """Return the tokens of the longest reply to a prompt of ``size`` tokens; it needs the ``least``."""
        return self._history.longest_reply(size, known, self._priced_window, least)

    async def _received(self, response: HttpReply, ask: Ask, draft: Capabilities) -> Completion | Refusal:
        """Return the reply or the refusal in a response, and note whether the server streams if it was asked to."""
        result = await self._read(response, ask, draft)
        return replace(result, prompt_tokens=_plausible(result.prompt_tokens, ask))

    async def _read(self, response: HttpReply, ask: Ask, draft: Capabilities) -> Completion | Refusal:
        if response.events is not None and ask.listen is not None:
            result = await read_stream(response.events, ask.listen, self._silence, self._key)
            draft.streams = True
            return result
        if response.status != 200:
            return read_refusal(response.status, response.headers, response.body, self._key, ask.prompt)
        if ask.listen is not None:
            draft.streams = False
        result = read_completion(response.body, self._key)
        if isinstance(result, Completion):
            emit(ask, Reply(result.text))
        return result

    def _note_refused(self, refusal: Refusal, prompt: str, ask: Ask, size: int) -> Refusal:
        """Learn from the numbers in a refusal; add the window, if it says by how much a prompt exceeds it."""
        if refusal.kind == "overflow" and refusal.window:
            self._history.refuse(refusal.window)
        if refusal.prompt_tokens and not ask.picture:
            self.counter.learn(prompt, refusal.prompt_tokens)
        window = 0 if refusal.excess is None else max(size - refusal.excess, self._history.longest)
        return replace(refusal, window=window) if refusal.window is None and window >= SMALLEST else refusal

    def _note_answered(self, draft: Capabilities, asked: int, estimate: int, counted: int) -> None:
        """Note that a prompt was answered; a limit on the size of requests is forgotten once a larger one was."""
        self._history.answered(max(estimate, counted), asked)
        draft.accepted = max(estimate, counted, draft.accepted or 0)
        if draft.request_limit and estimate + asked > draft.request_limit:
            draft.request_limit = None

    def _check_constraint(self, ask: Ask, body: dict[str, Any], draft: Capabilities, done: Completion) -> None:
        """Note whether the reply obeys the constraint: a server may accept the parameter and ignore it."""
        asked = ask.choice or ask.form
        if CONSTRAINT not in body or asked is None or done.finish != "stop":
            return
        verdict = conforms(asked, done.text)
        if verdict is False:
            draft.drop.add(CONSTRAINT)
        elif verdict:
            draft.constrain = "schema"

    def _reply(self, prompt: str, done: Completion, ask: Ask) -> Reply:
        whole = (done.prompt_tokens or 0) >= self.counter.fewest(prompt)  # or what was cached is left out
        if done.prompt_tokens is not None and whole and not ask.picture:  # a picture says nothing about the words
            self.counter.learn(prompt, done.prompt_tokens)
        return Reply(done.text, done.finish, self._usage(prompt, done, ask))

    def _usage(self, prompt: str, done: Completion, ask: Ask) -> Usage:
        usage = Usage(
            self.counter.count(prompt) + ask.picture_tokens if done.prompt_tokens is None else done.prompt_tokens,
            self.counter.count(done.text) if done.reply_tokens is None else done.reply_tokens,
        )
        usage = replace(usage, cached_tokens=min(done.cached_tokens, usage.prompt_tokens))
        price = self.price
        return replace(usage, cost=None if price is None else price.cost(usage))

    def _learn(self, draft: Capabilities, base: Capabilities) -> None:
        if self.capabilities.merge(draft, base) and self._remember is not None:
            self._remember(self.capabilities)

    async def _error(self, refusal: Refusal, draft: Capabilities, cap: int) -> ModelError:
        error = error_from(refusal, model=self.model, key_hint=self._key_hint, has_key=self._key is not None)
        if isinstance(error, UnknownModelError):
            error.hint = await self._model_hint()
        if isinstance(error, ContextOverflowError):
            error.accepted, error.reply = self._history.longest or None, cap or None
            self._learn(replace(self.capabilities, request_limit=draft.request_limit), self.capabilities)
            self.learn_window(error.window)
        return error

    async def _model_hint(self) -> str:
        try:
            names = list(await list_models(self._client))
        except ReadAgentError:
            names = []
        if not names or self.model in names:
            return f"check the base URL {self.base_url}; it usually ends in /v1"
        near = difflib.get_close_matches(self.model, names, n=3, cutoff=0.4) or names[:5]
        return f"the server has these models: {', '.join(near)}"


def _plausible(tokens: int | None, ask: Ask) -> int | None:
    """Return a server's count of the tokens of a prompt, or None if it cannot be true: a token has a byte at least."""
    most = len(ask.prompt.encode("utf-8", "replace")) + len(ask.picture) + _ADDED_TOKENS
    return tokens if tokens is not None and tokens <= most else None
