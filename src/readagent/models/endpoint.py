"""Endpoint: a model behind any OpenAI-compatible server. What the server cannot do is found out once and remembered."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from readagent.core.model import Ask, Reply
from readagent.core.trace import Usage
from readagent.core.words import estimate_tokens
from readagent.errors import ContextOverflowError, ModelError, ReadAgentError, RejectedError, UnknownModelError
from readagent.models.adapt import LEAST_REPLY, adapt, speaks_of_constraint
from readagent.models.capabilities import WAYS, Facts, conforms, json_line, parameter
from readagent.models.completion import Completion, read_completion, read_stream
from readagent.models.failures import Refusal, error_of, read_refusal
from readagent.models.hosts import is_private, shown
from readagent.models.http import Line, Transport
from readagent.models.prices import FREE, Price, Prices
from readagent.models.probe import Check, check, inquire_window, listed_models
from readagent.models.streaming import tell

REPLY_CAP = 8192  # room to reason in, and an end to babbling
_PATH = "/chat/completions"
_MOST_ROUNDS = 12


class Endpoint:
    """A model of an OpenAI-compatible server.

    ``facts`` are what is known of the server already; ``remember`` is called with them whenever something was found
    out. ``window`` is the model's, where the user knows it better than the server. ``key_name`` is the environment
    variable that a hint about a wrong key names. An empty ``model`` stands for the first that the server lists:
    ``settle`` finds it out, and the name is complete only then. ``known_as`` stands for server and model in the name
    where the address is another one each time. ``transport`` takes the place of the network in tests.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_name: str = "READAGENT_API_KEY",
        temperature: float | None = 0.0,
        max_reply_tokens: int | None = None,
        timeout: float = 300.0,
        window: int | None = None,
        prices: Prices | None = None,
        facts: Facts | None = None,
        remember: Callable[[Facts], None] | None = None,
        headers: Sequence[tuple[str, str]] = (),
        known_as: str = "",
        transport: Transport | None = None,
    ) -> None:
        self.model = model
        self._known_as = known_as
        self.facts = facts or Facts()
        self._key = key = (key or "").strip() or None
        self._key_name = key_name
        self._temperature = temperature
        self._max_reply_tokens = max_reply_tokens
        self._window = window
        self._told: int | None = None  # the window that a refusal spoke of
        self._inquired = False
        self._listed: int | None = None  # the window that the server tells when asked
        self._prices = prices
        self._remember = remember
        self._line = Line(base_url, key=key, timeout=timeout, headers=headers, transport=transport)

    @property
    def base_url(self) -> str:
        """The server's address, fit to print."""
        return shown(self._line.base_url)

    @property
    def identity(self) -> str:
        """Server and model: what is remembered of them is filed under this."""
        return self._known_as or f"{self.base_url} {self.model}"

    @property
    def name(self) -> str:
        """Server, model and the settings that shape a reply; never the key."""
        settings = {"temperature": self._temperature, "max_reply_tokens": self._max_reply_tokens}
        told = [f"{name}={value:g}" for name, value in settings.items() if value is not None]
        return " ".join([self.identity, *told])

    @property
    def price(self) -> Price | None:
        """What the model costs; nothing on a server of one's own; None where unknown."""
        known = (self._prices or Prices.usual()).of(self.model)
        return FREE if is_private(self._line.base_url) else known

    async def settle(self) -> str:
        """The name of the model, asked of the server where none was given."""
        if not self.model:
            names = list(await listed_models(self._line))
            if not names:
                raise UnknownModelError(f"{self.base_url} lists no model", hint="say which with --model")
            self.model = names[0]
        return self.model

    async def lists_model(self) -> bool | None:
        """Whether the server lists the model; None where it lists nothing."""
        try:
            names = await listed_models(self._line)
        except ReadAgentError:
            return None
        return any(name in (self.model, f"models/{self.model}") for name in names) if names else None

    async def window(self) -> int | None:
        """How many tokens the model takes in, prompt and reply together; None where nobody knows."""
        if self._window is not None:
            return self._window
        if not self._inquired:
            self._inquired, self._listed = True, await inquire_window(self._line, self.model)
        known = [tokens for tokens in (self._listed, self.facts.window) if tokens is not None]
        priced = self.price
        return min(known) if known else priced.window if priced else None

    def learn_window(self, tokens: int | None) -> None:
        """Remember a window that an overflow taught."""
        if tokens is not None:
            self._learn(replace(self.facts, window=tokens), self.facts)

    async def complete(self, ask: Ask) -> Reply:
        """The server's reply. Parameters it does not take are left out and the request made again at once."""
        await self.settle()
        base, draft = self.facts.copy(), self.facts.copy()
        plain = False
        for _ in range(_MOST_ROUNDS):
            way = None if plain else draft.way(ask.choice, ask.form)
            body = self._body(ask, way, draft)
            result = await self._send(ask, body, draft)
            if isinstance(result, Completion):
                self._judge(ask, way, draft, result)
                self._learn(draft, base)
                return self._reply(body, result)
            if result.overflow and result.window:
                self._told = min(result.window, self._told or result.window)
            if way is not None and self.facts.constrain == WAYS[way] and speaks_of_constraint(result):
                plain = True  # it does constrain, only not to this choice
            elif not adapt(draft, result, body, way):
                raise await self._error(result)
        raise RejectedError(f"{self.base_url} refuses every form of the request")

    async def check(self) -> Check:
        """What `readagent model check` reports; a failure is part of the report."""
        return await check(self)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._line.aclose()

    def _body(self, ask: Ask, way: str | None, facts: Facts) -> dict[str, Any]:
        prompt = ask.prompt
        asked = ask.choice or ask.form
        if way == "response_format" and asked is not None:
            prompt += json_line(asked)
        body: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": prompt}]}
        if way is not None and asked is not None:
            body[way] = parameter(way, asked)
        if self._temperature is not None and "temperature" not in facts.drop:
            body["temperature"] = self._temperature
        cap = next((name for name in ("max_tokens", "max_completion_tokens") if name not in facts.drop), None)
        if cap is not None:
            body[cap] = self._reply_cap(prompt, facts)
        if ask.listen is not None and facts.streams is not False:
            body["stream"] = True
            if "stream_options" not in facts.drop:
                body["stream_options"] = {"include_usage": True}
        return body

    def _reply_cap(self, prompt: str, facts: Facts) -> int:
        known = [size for size in (self._told, self._window or facts.window) if size]
        room = max(LEAST_REPLY, min(known) - estimate_tokens(prompt)) if known else REPLY_CAP
        return min(self._max_reply_tokens or REPLY_CAP, facts.reply_limit or REPLY_CAP, room)

    async def _send(self, ask: Ask, body: dict[str, Any], draft: Facts) -> Completion | Refusal:
        if not body.get("stream"):
            heard = await self._line.post(_PATH, body)
        else:
            assert ask.listen is not None
            async with self._line.stream(_PATH, body) as heard:
                if heard.lines is not None:
                    completion = await read_stream(heard.lines, ask.listen, self._key)
                    draft.streams = True
                    return completion
            draft.streams = False if heard.status == 200 else draft.streams
        if heard.status != 200:
            return read_refusal(heard.status, heard.headers, heard.body, self._key)
        completion = read_completion(heard.body, self._key)
        tell(ask, Reply(completion.text))
        return completion

    def _judge(self, ask: Ask, way: str | None, draft: Facts, done: Completion) -> None:
        """Whether the reply was constrained as it should have been: a server may accept a parameter and ignore it."""
        asked = ask.choice or ask.form
        if way is None or asked is None or done.finish != "stop":
            return
        verdict = conforms(way, asked, done.text)
        if verdict is False:
            draft.drop.add(way)
            draft.constrain = "unknown"
        elif verdict:
            draft.constrain = WAYS[way]

    def _reply(self, body: dict[str, Any], done: Completion) -> Reply:
        prompt = body["messages"][0]["content"]
        usage = Usage(
            estimate_tokens(prompt) if done.prompt_tokens is None else done.prompt_tokens,
            estimate_tokens(done.text) if done.reply_tokens is None else done.reply_tokens,
            done.cached_tokens,
        )
        price = self.price
        cost = None if price is None else price.cost(usage)
        return Reply(done.text, done.finish, Usage(usage.prompt_tokens, usage.reply_tokens, usage.cached_tokens, cost))

    def _learn(self, draft: Facts, base: Facts) -> None:
        if self.facts.take(draft, base) and self._remember is not None:
            self._remember(self.facts)

    async def _error(self, refusal: Refusal) -> ModelError:
        error = error_of(refusal, model=self.model, key_name=self._key_name, has_key=self._key is not None)
        if isinstance(error, UnknownModelError):
            error.hint = await self._nearest()
        if isinstance(error, ContextOverflowError) and error.window:
            self.learn_window(error.window)
        return error

    async def _nearest(self) -> str:
        try:
            names = list(await listed_models(self._line))
        except ReadAgentError:
            names = []
        if not names or self.model in names:
            return f"is {self.base_url} right? a base URL usually ends in /v1"
        near = difflib.get_close_matches(self.model, names, n=3, cutoff=0.4) or names[:5]
        return f"the server has: {', '.join(near)}"
