"""What is known of a server and its model: its capabilities, its window, and what it has answered so far."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readagent.core.form import Choice, Form, JsonForm, strip_thinking, unfenced
from readagent.core.model import READING, Ask
from readagent.errors import BadReplyError, ConnectionFailedError, RateLimitedError, ServerFaultError
from readagent.models.http import HttpClient
from readagent.models.refusal import Refusal
from readagent.models.refusal_kinds import plain
from readagent.models.server_info import Limits, fetch_limits
from readagent.models.wire import decode

_ABOUT_ACCESS = re.compile(r"\bkey\b|api_key|auth|credential|permission|token|expired|revoked|suspended|log ?in")
_DOUBTS = 2  # refusals in doubt that are put down to their texts; the next one shows that the window is small
_PART = 0.65  # share of a prompt's tokens that the prompt for a half of its page has at most
_LITTLE = 1.25  # a prompt that is longer than any before by less than this is in doubt


class Accepted:
    """The longest prompt that was answered over this connection, in tokens; 0 if none was.

    ``key`` says whether the server has accepted the key.
    """

    def __init__(self) -> None:
        self.longest = 0
        self.key = False
        self._requests: list[tuple[int, int]] = []  # tokens of prompts that were answered, and of the replies allowed
        self._doubtful: list[int] = []  # tokens of prompts that were refused in doubt

    def note(self, tokens: int, reply: int) -> None:
        """Note that a prompt was answered, and how long the reply was allowed to be."""
        self.key = True
        self.longest = max(self.longest, tokens)
        if not self._covers(tokens, reply):
            smaller = [(prompt, most) for prompt, most in self._requests if prompt > tokens or most > reply]
            self._requests = [*smaller, (tokens, reply)]
        self._doubtful = [refused for refused in self._doubtful if refused > tokens]

    def reconsidered(
        self, refusal: Refusal, ask: Ask, tokens: int, reply: int, *, earlier: int | None, model: str
    ) -> Refusal:
        """Return the refusal of an ask, as one of this request where the server's answers to others show that it is.

        It is not about the key, which was accepted, unless it says so, nor about the model; and a window that is not
        named cannot be smaller than a request that was answered. ``reply`` are the tokens that the reply was allowed,
        and ``earlier`` is the longest prompt of earlier runs.
        """
        known = bool(self.longest or earlier)
        said = plain(" ".join([refusal.message, *refusal.codes]))
        match refusal.kind:
            case "unauthorized":
                about_request = self.key and not _ABOUT_ACCESS.search(said)
            case "no_model":
                about_request = known and not re.search(rf"\bmodels?\b|(?<!\w){re.escape(model.lower())}(?!\w)", said)
            case "overflow":
                unnamed = refusal.window is None and refusal.prompt_tokens is None
                about_request = unnamed and (self._covers(tokens, reply) or self._is_part(ask, tokens))
                if unnamed and not about_request and self._is_doubtful(ask, tokens, earlier or 0):
                    return replace(refusal, kind="page_too_long")
            case _:
                about_request = False
        return replace(refusal, kind="other") if about_request else refusal

    def _covers(self, tokens: int, reply: int) -> bool:
        """Whether a request was answered that was at least as large."""
        return any(tokens <= prompt and reply <= most for prompt, most in self._requests)

    def _is_part(self, ask: Ask, tokens: int) -> bool:
        """Whether a page was refused in doubt that is about twice as long: this is a half of it, refused as well."""
        return ask.step in READING and any(tokens <= _PART * refused for refused in self._doubtful)

    def _is_doubtful(self, ask: Ask, tokens: int, earlier: int) -> bool:
        """Whether a page may be refused for another reason than a small window.

        It is only a little longer than others, or not longer than one of an earlier run, when the window may have been
        another. Reading goes on without a reply; a question does not.
        """
        doubtful = tokens <= max(earlier, self.longest * _LITTLE) and ask.step in READING
        if not doubtful or len(self._doubtful) >= _DOUBTS:
            return False
        self._doubtful.append(tokens)
        return True


ConstraintKind = Literal["unknown", "schema", "none"]
CONSTRAINT = "response_format"  # the parameter that constrains a reply to a JSON schema


@dataclass(slots=True)
class Capabilities:
    """What is known about a server. Libraries store this as JSON, so field names must not change."""

    constrain: ConstraintKind = "unknown"  # how it constrains output
    drop: set[str] = field(default_factory=set)  # parameters it rejects; for max_tokens, max_completion_tokens is sent
    window: int | None = None  # tokens, prompt and reply together
    streams: bool | None = None
    reply_limit: int | None = None  # the most tokens in one reply, if known
    request_limit: int | None = None  # tokens, prompt and reply together; found by trying, where no window is named
    accepted: int | None = None  # the tokens of the longest prompt that was answered

    def copy(self) -> Capabilities:
        """Return an independent copy, to be used as a draft."""
        return replace(self, drop=set(self.drop))

    def merge(self, draft: Capabilities, base: Capabilities) -> bool:
        """Take over what changed in a draft since it was copied from ``base``. Returns whether anything was new."""
        before = self.copy()
        self.drop |= draft.drop
        self.accepted = max(self.accepted or 0, draft.accepted or 0) or None
        for name in ("constrain", "window", "streams", "reply_limit", "request_limit"):
            if getattr(draft, name) != getattr(base, name):
                setattr(self, name, getattr(draft, name))
        if CONSTRAINT in self.drop:
            self.constrain = "none"
        return self != before

    def constrains(self, asked: Choice | JsonForm | None) -> bool:
        """Whether the reply to a choice or form is to be constrained, as far as the server can and a schema helps."""
        if asked is None or CONSTRAINT in self.drop or (isinstance(asked, Form) and not asked.decides):
            return False
        return asked.schema() is not None


def constraint_value(asked: Choice | JsonForm) -> Any:
    """Return the value of the parameter that constrains a reply to this choice or form."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": asked.schema()}}


def json_instruction(asked: Choice | JsonForm) -> str:
    """Return the line of the prompt that describes the JSON, so that prompt and schema agree."""
    if not isinstance(asked, Choice):
        return f"\n\nReply as JSON: {asked.example()}"
    value = '"..."' if asked.single else '["...", "..."]'
    return f'\n\nReply as JSON: {{"answer": {value}}}'


def conforms(asked: Choice | JsonForm, text: str) -> bool | None:
    """Whether a reply obeys the constraint; None if this reply does not show it."""
    text = unfenced(strip_thinking(text)).strip()
    if not text:
        return None
    try:
        value = decode(text)
    except BadReplyError:
        return False
    if not isinstance(asked, Choice):
        return asked.conforms(value)
    answer = value.get("answer") if isinstance(value, dict) else None
    named = answer if isinstance(answer, list) else [answer]
    return isinstance(answer, str) == asked.single and all(item in asked.values for item in named)


MAX_REPLY_TOKENS = 8192  # enough to reason, and an end to endless replies
_LEAST_REPLY = 256  # tokens, in all but small windows
_LEAST_SHARE = 6  # in small windows the shortest reply gets this part of them; prompts leave more than that
_ENOUGH = 3  # answers after which a server that failed to tell the window is not asked again
_TEMPLATE = 128  # tokens that servers add to a prompt: roles, dates, a default system prompt


def least_reply(window: int | None) -> int:
    """Return the tokens of the shortest reply that is worth asking for in this window, if it is known."""
    return _LEAST_REPLY if window is None else min(_LEAST_REPLY, window // _LEAST_SHARE)


class ServedWindow:
    """The window of a model, in tokens, prompt and reply together.

    The value that the user has ``given`` counts before any other. Without one, it is the smaller of what the server
    reports and what was learnt from its refusals, or else the value of the price table.
    """

    def __init__(self, client: HttpClient, given: int | None) -> None:
        self.given = given
        self._client = client
        self._fetching = asyncio.Lock()
        self._fetched = False
        self._attempts = self._answers = 0
        self._reported = Limits()
        self._refused: int | None = None  # named by the server when it refused a request of this connection
        self.assumed: int | None = None  # what requests have to fit while nothing else is known

    async def fetch(self, model: str) -> None:
        """Ask the server, once for each connection, and again if it failed; raise the error of a busy server."""
        attempts = self._attempts
        if self._fetched or self.given is not None:
            return
        async with self._fetching:
            if self._fetched or self._attempts != attempts:  # another call has asked meanwhile
                return
            self._attempts += 1
            try:
                self._reported = await fetch_limits(self._client, model)
                self._fetched = True
            except RateLimitedError:
                raise
            except ServerFaultError as error:
                if error.busy:
                    raise
            except ConnectionFailedError:
                pass

    @property
    def listed(self) -> int | None:
        """The window that the user has given, or that the server has listed, whatever its refusals say."""
        return self._reported.window if self.given is None else self.given

    @property
    def refuses(self) -> bool | None:
        """Whether the server refuses a prompt that is too long, and does not cut it; None if that is not known."""
        return self._reported.refuses

    def answered(self) -> None:
        """Note that the server answered a call. One that does so and cannot tell the window is not asked for ever."""
        self._answers += 1
        self._fetched = self._fetched or self._answers >= _ENOUGH

    def tokens(self, learnt: Capabilities, priced: int | None) -> int | None:
        """Return the window, or None if it is unknown. ``priced`` is the value of the price table."""
        if self.given is not None:
            return self.given
        known = [tokens for tokens in (self._reported.window, learnt.window) if tokens is not None]
        return min(known) if known else priced

    def refuse(self, tokens: int) -> None:
        """Respect the window that the server named in a refusal, even if the user has given a larger one."""
        self._refused = min(tokens, self._refused or tokens)

    def longest_reply(self, size: int, known: Capabilities, priced: int | None, least: int = 0) -> int:
        """Return the tokens of the longest reply to a prompt of about ``size`` tokens; it needs the ``least``."""
        most = min(known.reply_limit or MAX_REPLY_TOKENS, self._reported.reply or MAX_REPLY_TOKENS)
        windows = [tokens for tokens in (self._refused, self.tokens(known, priced)) if tokens]
        windows = windows or [tokens for tokens in (self.assumed,) if tokens]
        limits = [*windows, known.request_limit] if known.request_limit else windows
        if not limits:
            return most
        margin = _TEMPLATE + size // 20  # an estimate may be a little low
        least = max(least, least_reply(min(windows, default=None)))
        return min(most, max(least, min(limits) - size - margin))
