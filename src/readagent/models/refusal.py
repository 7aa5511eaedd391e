"""Refusal: what an error response says, in whatever shape, how many seconds it asks us to wait, and its exception."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any

from readagent.core.patterns import lazy_pattern
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ContentRefusedError,
    ContextOverflowError,
    ModelError,
    PageTooLongError,
    RateLimitedError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.hosts import redacted
from readagent.models.refusal_kinds import Kind, is_repeated, kind_of, told_in
from readagent.models.wire import decode

_LONGEST_MESSAGE = 300  # characters of a message that is shown
_SEARCHED = 4000  # characters of a message in which numbers are looked for
SHORT_KEY = 8  # characters; a key with fewer may be a part of any word or number
_COUNTS = ("n_ctx", "n_prompt_tokens")
_DEEPEST = 8
_MOST_FIELDS = 400
_LARGEST = 1_000_000_000  # a greater number of tokens is a mistake
_MESSAGES = frozenset({"message", "msg", "detail", "details", "error", "errors", "raw", "error_msg", "status_msg"})
_CODES = frozenset(
    {"code", "type", "status", "error_type", "error_code", "status_code", "reason", "reasons", "param", "loc"}
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error response. Numbers that the server does not name are None.

    ``codes`` are short names, of the error and of the parameters that it is about. ``window`` is the most tokens of
    prompt and reply together, ``prompt_tokens`` what the server counted in the prompt, ``excess`` by how many tokens it
    is too long, ``reply_limit`` the most tokens of a reply that are allowed or can be paid for, and ``retry_after`` the
    seconds to wait. A rate limit with a ``window`` allows no request as large as this one, however long one waits.
    ``headers`` and ``body`` are those of the response, where the error is one of its own.
    """

    status: int
    kind: Kind
    message: str = ""
    codes: frozenset[str] = frozenset()
    retry_after: float | None = None
    window: int | None = None
    prompt_tokens: int | None = None
    reply_limit: int | None = None
    excess: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    body: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def too_large(self) -> bool:
        """Whether a smaller request, with a shorter prompt or a shorter reply, could succeed."""
        return self.kind == "overflow" or (self.kind == "rate_limit" and self.window is not None)


def read_json(body: bytes, secret: str | None = None) -> Any:
    """Return the JSON value in a response of a model server; raise RejectedError if it is a web page."""
    if body.lstrip().startswith(b"<"):
        hint = "is the base URL right? It usually ends in /v1; a page to sign in is for people, not for programs"
        title = one_line(body.decode("utf-8", "replace"), secret)
        raise RejectedError(f"the server replied with a web page, not with JSON: {title}", hint=hint)
    try:
        return decode(body)
    except BadReplyError as error:
        error.hint = "is the base URL right? It usually ends in /v1. If it is, run the same again later"
        raise


def read_refusal(
    status: int, headers: Mapping[str, str], body: bytes, secret: str | None = None, sent: str = ""
) -> Refusal:
    """Parse a response with an error status. ``secret`` does not appear in the message, which is parsed before that.

    Numbers that the server only repeats from ``sent``, the texts of the request, are not believed.
    """
    try:
        value = decode(body)
    except BadReplyError:
        value = body.decode("utf-8", "replace")
    if 300 <= status < 400:
        target = redacted(headers.get("location", "nowhere"))
        value = f"it redirects to {target.removesuffix('/chat/completions').removesuffix('/models')}"
    if status == 404 and isinstance(value, str) and _is_page(value):
        return Refusal(status, "other", f"the base URL leads to a web page, not to an API: {one_line(value, secret)}")
    return replace(read_error(status, value, headers, secret, sent), headers=headers, body=body)


def read_error(
    status: int, error: Any, headers: Mapping[str, str], secret: str | None = None, sent: str = ""
) -> Refusal:
    """Parse an error, whether it came as a body, inside a body or inside a stream."""
    fields = list(islice(_fields({"error": error}, _DEEPEST), _MOST_FIELDS))
    message = _message(fields, secret or "")
    codes = frozenset(str(value).lower() for name, value in fields if name in _CODES and type(value) in (str, int))
    counts = {name: value for name, value in fields if name in _COUNTS and type(value) is int and 0 < value < _LARGEST}
    counts = {name: value for name, value in counts.items() if not sent or not is_repeated(name, value, sent)}
    told = told_in(message, sent)
    wait = _wait(headers, fields, message)
    kind = kind_of(status, codes, message, told, waits=wait is not None)
    window = {"overflow": counts.get("n_ctx", told.window), "rate_limit": told.request_limit}.get(kind)
    prompt_tokens = counts.get("n_prompt_tokens", told.prompt_tokens) if kind == "overflow" else None
    reply_limit = {"reply_too_long": told.reply_limit, "payment": told.affordable}.get(kind)
    excess = told.excess if kind == "overflow" else None
    shown = one_line(message, secret)
    return Refusal(status, kind, shown, codes, wait, window, prompt_tokens, reply_limit, excess)


def _message(fields: list[tuple[str, Any]], secret: str) -> str:
    """Return everything that a server says in words, each message once, and the reasons that it lists at the end.

    A long key is replaced before the rest is cut off, so that no part of it is left. A short one may be a number.
    """
    long = secret if len(secret) >= SHORT_KEY else ""
    said = [(name, one_line(value, long, longest=_SEARCHED)) for name, value in fields if type(value) is str]
    lines = dict.fromkeys(line for name, line in said if name in _MESSAGES and line)
    reasons = ", ".join(dict.fromkeys(line for name, line in said if name == "reasons" and line))
    message = ": ".join(lines)
    if reasons:
        message = f"{message.rstrip('.') or 'refused'}. Reasons: {reasons}"
    return message[:_SEARCHED]


def one_line(message: str, secret: str | None = None, longest: int = _LONGEST_MESSAGE) -> str:
    """Return a server's message as one printable line of limited length, without markup and without the key."""
    if _is_page(message):
        title = re.search(r"<title>(.{0,500}?)</title>", message, re.S | re.I)
        message = title[1] if title else "an HTML page"
    message = without_key("".join(c if c.isprintable() else " " for c in message), secret or "")
    return message if len(message) <= longest else message[: longest - 1] + "…"


def without_key(message: str, secret: str) -> str:
    """Return a message with single spaces, without the key; a short one is replaced only where it is a whole word."""
    message, secret = " ".join(message.split()), " ".join(secret.split())
    if len(secret) >= SHORT_KEY:
        return message.replace(secret, "[key]")
    return re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "[key]", message) if secret else message


def _is_page(text: str) -> bool:
    """Whether a text is a web page."""
    return "<html" in text[:500].lower() or "<!doctype" in text[:500].lower()


def _fields(value: Any, depth: int, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every field at any depth with its name in lower case. JSON inside a string counts as a part of it."""
    if depth == 0:
        return
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(BadReplyError):
            value = decode(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _fields(item, depth - 1, str(key).lower())
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item, depth - 1, name)
    else:
        yield name, value


_LONGEST_WAIT = 7 * 86400.0
_UNITS = {"ms": 0.001, "milli": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = lazy_pattern(r"(\d{1,12}(?:\.\d{1,12})?)\s*(ms|milli|s|m|h|d)[a-z]*\s*", re.I)
_TOLD = lazy_pattern(
    r"(?:(?:try again|retry)(?: \w+)? (?:in|after)|wait(?: for| at least)?)(?: about)?:? "
    r"((?:\d{1,12}(?:\.\d{1,12})?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\b[ ,]*"
    r"|\d{1,6}(?:\.\d{1,12})?[hms](?=\d))+)",
    re.I,
)
_WAITS = {"retryafterms": 0.001, "retryafter": 1.0, "retrydelay": 1.0, "retryafterseconds": 1.0}  # and their units


def _wait(headers: Mapping[str, str], fields: Sequence[tuple[str, Any]], message: str) -> float | None:
    """Return the seconds to wait, as a header, a used-up limit, a field or the message names them."""
    found = _TOLD.search(message)
    told = (
        _named((name, headers.get(name)) for name in ("retry-after-ms", "retry-after")),
        max(_resets(headers), default=None),
        _named(fields),
        _seconds(found[1]) if found else None,
    )
    return next((seconds for seconds in told if seconds is not None), None)


def _named(values: Iterable[tuple[str, Any]]) -> float | None:
    """Return the seconds in a header or field such as ``Retry-After``, ``retryDelay`` or a copied header."""
    for name, value in values:
        unit = _WAITS.get(name.lower().replace("-", "").replace("_", ""))
        if isinstance(value, str | int | float) and (unit or name == "x-ratelimit-reset"):
            seconds = _seconds(str(value), unit or 1.0)
            if seconds is not None:
                return seconds
    return None


def _resets(headers: Mapping[str, str]) -> Iterator[float]:
    """Yield the seconds until limits are reset of which nothing is left."""
    for name in ("", "-requests", "-tokens"):
        if headers.get(f"x-ratelimit-remaining{name}", "").strip() == "0":
            seconds = _seconds(headers.get(f"x-ratelimit-reset{name}", ""))
            if seconds is not None:
                yield seconds


def _seconds(text: str, unit: float = 1.0) -> float | None:
    """Return the seconds of "34", "1h2m3.5s", "120ms", "26 seconds", a date or a time since 1970; None for others."""
    text = text.strip(" ,.")
    parts = [(float(match[1]), match[2].lower()) for match in _PART.finditer(text)]
    if re.fullmatch(r"\d{10}|\d{13}", text):
        seconds = max(0.0, float(text) / (1000 if len(text) == 13 else 1) - time.time())
    elif re.fullmatch(r"\d{1,12}(?:\.\d{1,12})?", text):
        seconds = float(text) * unit
    elif parts and not _PART.sub("", text).strip(" ,"):
        seconds = sum(number * _UNITS[unit] for number, unit in parts)
    else:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = max(0.0, (when - datetime.now(UTC)).total_seconds())
    return seconds if 0 <= seconds <= _LONGEST_WAIT else None


_BEHIND_GATEWAY = frozenset({502, 504, *range(520, 528)})  # a gateway says that the server behind it is down


class UnreachableError(ConnectionFailedError):
    """No connection to the server could be opened."""


def error_from(refusal: Refusal, *, model: str = "", key_hint: str = "", has_key: bool = True) -> ModelError:
    """Return the exception for an error response."""
    error = _error_of(refusal, model, key_hint, has_key)
    if refusal.body is not None:
        error.response = refusal.status, refusal.headers, refusal.body
    return error


def _error_of(refusal: Refusal, model: str, key_hint: str, has_key: bool) -> ModelError:
    status, message = refusal.status, refusal.message or f"HTTP {refusal.status}"
    if refusal.too_large:
        return _too_large(refusal, message)
    match refusal.kind:
        case "unauthorized":
            return UnauthorizedError(f"{_about_key(status, has_key)}: {message}", hint=key_hint)
        case "payment":
            hint = "check the plan and the billing of your account"
            left = "too little credit for this request" if refusal.reply_limit else "no credit left"
            return RejectedError(f"your account has {left}: {message}", hint=hint)
        case "rate_limit":
            return RateLimitedError(f"the server is limiting requests: {message}", retry_after=refusal.retry_after)
        case "content":
            hint = "its content filter refuses the text; another model may accept it"
            return ContentRefusedError(f"the server does not process this text: {message}", hint=hint)
        case "no_model":
            return UnknownModelError(f"the server has no model {model!r}: {message}")
        case "busy":
            said = f"the server is busy ({status}): {message}"
            return ServerFaultError(said, retry_after=refusal.retry_after, busy=True)
        case "fault":
            said, down = f"the server failed ({status}): {message}", status in _BEHIND_GATEWAY
            return ServerFaultError(said, retry_after=refusal.retry_after, busy=down)
        case "page_too_long":
            return PageTooLongError(f"the server refuses this text as too long ({status}): {message}")
        case "reply_too_long":
            return RejectedError(f"the server allows only shorter replies: {message}")
    if 300 <= status < 400:
        hint = "if that is the right server, use its address as the base URL"
        return RejectedError(f"the server does not answer here: {message}", hint=hint)
    if status == 200:
        return BadReplyError(f"the server replied with an error: {refusal.message or 'without a message'}")
    return RejectedError(f"the server rejected the request ({status}): {message}")


def _too_large(refusal: Refusal, message: str) -> ContextOverflowError:
    if refusal.kind == "rate_limit":
        said = "the prompt has more tokens than your account may send in one request"
        hint = f"read with a smaller window: `window={refusal.window}`"
    else:
        said = "the prompt is too long for the model"
        hint = "read with smaller pages, or set the window with `window`"
    return ContextOverflowError(
        f"{said}: {message}", hint=hint, window=refusal.window, prompt_tokens=refusal.prompt_tokens
    )


def _about_key(status: int, has_key: bool) -> str:
    if not has_key:
        return "the server requires an API key"
    return "the server refuses access" if status == 403 else "the server rejected the API key"


def is_fault(error: ReadAgentError) -> bool:
    """Whether a server failed, but neither limits requests nor is busy: one text, or all of them, may cause that."""
    return isinstance(error, ServerFaultError) and not error.busy and error.retry_after is None
