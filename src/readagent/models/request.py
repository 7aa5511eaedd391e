"""The body of a request for a chat completion, adapted to what the server is known to accept: its capabilities."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from readagent.core.form import Choice, Form, JsonForm, strip_thinking, unfenced
from readagent.core.model import Ask
from readagent.errors import BadReplyError, UsageError
from readagent.models.refusal import Refusal
from readagent.models.wire import decode

MAX_REPLY_TOKENS = 8192  # enough to reason, and an end to endless replies
_LEAST_REPLY = 256  # tokens, in all but small windows
_LEAST_SHARE = 6  # in small windows the shortest reply gets this part of them; prompts leave more than that


def least_reply(window: int | None) -> int:
    """Return the tokens of the shortest reply that is worth asking for in this window, if it is known."""
    return _LEAST_REPLY if window is None else min(_LEAST_REPLY, window // _LEAST_SHARE)


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


_CAPS = ("max_tokens", "max_completion_tokens")
_ABOUT_CONSTRAINT = re.compile(r"schema|response_format|guided|structured|grammar|enum\b|choice", re.I)


def mentions_constraint(refusal: Refusal) -> bool:
    """Whether the server rejected the constraint on the output."""
    said = " ".join([refusal.message, *refusal.codes])
    return refusal.status in (400, 422, 500, 501) and bool(_ABOUT_CONSTRAINT.search(said))


def reply_cap(known: Capabilities) -> str | None:
    """Return the parameter that limits the tokens of a reply, or None if the server rejects every one."""
    return next((name for name in _CAPS if name not in known.drop), None)


def adapt(
    draft: Capabilities,
    refusal: Refusal,
    body: dict[str, Any],
    prompt_tokens: int,
    min_reply: int = 0,
) -> bool:
    """Update the draft so that the next request omits or shortens what was rejected.

    ``prompt_tokens`` is the size of the prompt as far as it is known, and ``min_reply`` are the tokens that the reply
    needs. Returns False if nothing can be omitted or shortened.
    """
    cap = next((name for name in _CAPS if name in body), None)
    if refusal.kind == "reply_too_long" and cap is not None:
        return _limit_reply(draft, refusal, body[cap])
    if refusal.too_large:
        return cap is not None and _shorten_reply(draft, refusal, body[cap], prompt_tokens, min_reply)
    if refusal.kind != "parameter" and not _may_mean_a_parameter(refusal):
        return False
    message = " ".join([refusal.message.lower(), *refusal.codes])
    return _omit_parameter(draft, message, body, cap)


def can_afford(refusal: Refusal, ask: Ask, asked: int) -> bool:
    """Whether the account can pay for a shorter reply than was asked for, and one of that length is of use."""
    most = refusal.reply_limit if refusal.kind == "payment" else None
    return most is not None and max(least_reply(None), ask.min_reply) <= most < asked


def _may_mean_a_parameter(refusal: Refusal) -> bool:
    if refusal.kind == "fault":
        return refusal.status == 500 and mentions_constraint(refusal)
    return refusal.kind == "other" and refusal.status in (400, 415, 422, 501)


def _omit_parameter(draft: Capabilities, message: str, body: dict[str, Any], cap: str | None) -> bool:
    """Omit the parameter that the message names; if it names none, the constraint, for which servers use many names."""
    for name in ("stream_options", "temperature", cap):
        if name is not None and name in body and name in message:
            draft.drop.add(name)
            return True
    if "stream" in body and "stream" in message:
        draft.streams = False
        return True
    if CONSTRAINT in body:
        draft.drop.add(CONSTRAINT)
        return True
    return False


def _limit_reply(draft: Capabilities, refusal: Refusal, asked: int) -> bool:
    """Respect the limit on replies that the server names; halve the reply if it names none."""
    draft.reply_limit = refusal.reply_limit or max(least_reply(None), asked // 2)
    return draft.reply_limit < asked


def _shorten_reply(draft: Capabilities, refusal: Refusal, asked: int, prompt_tokens: int, min_reply: int) -> bool:
    """Request a shorter reply, unless the prompt alone is too long or the reply is as short as it can be.

    A window that the server names is remembered. Where it names none, or a reply that fits that window is refused too,
    the reply is halved, and the size of the request is remembered as a limit that says nothing about prompts.
    """
    window = refusal.window
    least = max(least_reply(window), min_reply)
    if window is not None and window - prompt_tokens < least:
        return False
    if asked <= least:
        return False
    if window is not None and refusal.kind == "overflow":
        draft.window = window
    if window is not None and window - prompt_tokens < asked:
        draft.request_limit = window if refusal.kind == "rate_limit" else draft.request_limit
    else:
        draft.request_limit = prompt_tokens + max(least, asked // 2)
    return True


_OURS = {
    "model": "`model`", "messages": "", "stream": "", "stream_options": "", "response_format": "", "n": "", "tools": "",
    "temperature": "`temperature`", "max_tokens": "", "max_completion_tokens": "",
}  # fmt: skip
HARMLESS = Ask("respond", 'Reply with the word "ready".')  # a server that works answers this


def prompt_with(ask: Ask, *, constrained: bool) -> str:
    """Return the prompt to send. If the reply is constrained, it describes the JSON as well."""
    asked = ask.choice or ask.form
    return ask.prompt + json_instruction(asked) if constrained and asked is not None else ask.prompt


def checked_options(table: Any, origin: str) -> dict[str, Any]:
    """Return the options that are sent with every request. Raises UsageError for those that ReadAgent sets itself."""
    if not isinstance(table, Mapping):
        raise UsageError(f"model_options in {origin} must be a table", hint='for example: reasoning_effort = "low"')
    for name, value in table.items():
        if not isinstance(name, str):
            raise UsageError(f"the name of a model option in {origin} must be a text, not {name!r}")
        if name in _OURS:
            hint = f"use {_OURS[name]}" if _OURS[name] else "leave it out"
            raise UsageError(f"{name} is set by readagent and cannot be a model option", hint=hint)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise UsageError(
                f"the model option {name} from {origin} has a value that JSON does not have: {value!r}",
                hint="give a finite number, a text, true or false, a list, or a table of these",
            ) from None
    return dict(table)


def request_body(
    ask: Ask,
    model: str,
    prompt: str,
    known: Capabilities,
    longest: int,
    temperature: float | None,
    options: Mapping[str, Any] | None = None,
    *,
    constrained: bool = False,
) -> dict[str, Any]:
    """Return the body of the request; its reply may have ``longest`` tokens at most. ``options`` are the user's."""
    asked = ask.choice or ask.form
    message = {"role": "user", "content": _parts(prompt, ask.picture) if ask.picture else prompt}
    body: dict[str, Any] = {"model": model, "messages": [message], **(options or {})}
    if constrained and asked is not None:
        body[CONSTRAINT] = constraint_value(asked)
    if temperature is not None and "temperature" not in known.drop:
        body["temperature"] = temperature
    cap = reply_cap(known)
    if cap is not None:
        body[cap] = min(longest, ask.max_reply or longest)
    if ask.listen is not None and known.streams is not False:
        body["stream"] = True
        if "stream_options" not in known.drop:
            body["stream_options"] = {"include_usage": True}
    return body


def _parts(prompt: str, picture: bytes) -> list[dict[str, Any]]:
    url = f"data:image/png;base64,{b64encode(picture).decode()}"
    return [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": url}}]
