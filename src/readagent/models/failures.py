"""Interpret an error response: turn status, headers and message into the matching exception."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ContextOverflowError,
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.wire import decode

_LONGEST = 300
_OVERFLOW = re.compile(
    r"context.{0,20}(?:length|window|size|limit)|maximum (?:context|input|number of tokens)|input token count"
    r"|(?:prompt|input|request|messages?) (?:(?:is|are|was) )?too (?:long|large)|too many (?:input )?tokens|n_ctx"
    r"|exceeds?.{0,40}(?:n_ctx|context|token|window)|reduce the length",
    re.I | re.S,
)
_WINDOW = (
    re.compile(r"(?:context (?:length|window|size|limit)|n_ctx)(?: (?:is|of|only))*[^\d]{0,12}(\d[\d,]*)", re.I),
    re.compile(r"(\d[\d,]*)(?: tokens?)? maximum context", re.I),
    re.compile(r"tokens? allowed[^\d]{0,4}(\d[\d,]*)", re.I),
    re.compile(r">\s*(\d[\d,]*)\s*(?:tokens? )?(?:maximum|limit)", re.I),
    re.compile(r"(?:limit|maximum)(?: (?:is|of))+ (\d[\d,]*)", re.I),
)
_PROMPT = re.compile(
    r"(\d+) in the (?:messages|prompt)|(?:has|contains)(?: at least)? (\d+) (?:input|prompt) tokens"
    r"|(?:messages|prompt|input|request) (?:resulted in|has|of|is) (\d+) tokens",
    re.I,
)
_REPLY_LIMIT = re.compile(
    r"at most (\d[\d,]*) (?:completion|output) tokens|max(?:imum)?[ _]output[^\d]{0,24}(\d+)", re.I
)
_NO_MODEL = re.compile(
    r"model\b.{0,80}(?:not found|does not exist|not exist|not available|not loaded)|(?:unknown|invalid|no such) model"
    r"|not a valid model|model_not_found",
    re.I | re.S,
)


class UnreachableError(ConnectionFailedError):
    """No connection to the server could be opened."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error response: status, message in one line, code, and the numbers found in the message."""

    status: int
    message: str
    code: str = ""
    retry_after: float | None = None
    window: int | None = None
    prompt_tokens: int | None = None
    reply_limit: int | None = None

    @property
    def overflow(self) -> bool:
        """Whether the prompt was too long."""
        if self.code in ("context_length_exceeded", "exceed_context_size_error") or self.status == 413:
            return True
        return self.status in (400, 422, 500) and bool(_OVERFLOW.search(self.message))

    @property
    def no_model(self) -> bool:
        """Whether the model, or the whole path, does not exist on the server."""
        return self.status == 404 or (
            self.status in (400, 422) and bool(_NO_MODEL.search(f"{self.message} {self.code}"))
        )


def read_refusal(status: int, headers: Mapping[str, str], body: bytes, secret: str | None = None) -> Refusal:
    """Parse a response with an error status."""
    try:
        value = decode(body)
    except BadReplyError:
        value = None
    error = value.get("error", value) if isinstance(value, dict) else value
    text = "" if value is not None else body.decode("utf-8", "replace")
    return read_error(status, error or text, headers, secret)


def read_error(status: int, error: Any, headers: Mapping[str, str], secret: str | None = None) -> Refusal:
    """Parse an ``error`` object, whether it came as a body or inside a stream."""
    fields = error if isinstance(error, dict) else {}
    text = fields.get("message") or fields.get("detail") or (error if isinstance(error, str) else "")
    message = one_line(str(text), secret)
    code = str(fields.get("code") or fields.get("type") or "")
    if fields.get("type") in ("insufficient_quota", "exceed_context_size_error"):
        code = str(fields["type"])
    prompt, limit = _PROMPT.search(message), _REPLY_LIMIT.search(message)
    window = fields.get("n_ctx")
    return Refusal(
        status,
        message,
        code,
        _retry_after(headers),
        window if type(window) is int else _window(message),
        _first_number(prompt),
        _first_number(limit),
    )


def one_line(message: str, secret: str | None = None) -> str:
    """Return a server's message as one printable line of limited length, without markup and without the key."""
    if "<html" in message[:500].lower() or "<!doctype" in message[:500].lower():
        title = re.search(r"<title>(.*?)</title>", message, re.S | re.I)
        message = title[1] if title else "an HTML page"
    if secret:
        message = message.replace(secret, "[key]")
    message = "".join(c if c.isprintable() else " " for c in message)
    message = " ".join(message.split())
    return message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"


def error_from(refusal: Refusal, *, model: str = "", key_name: str = "", has_key: bool = True) -> ModelError:
    """Return the exception for an error response."""
    status, message = refusal.status, refusal.message or f"HTTP {refusal.status}"
    if status in (401, 403):
        what = "the server rejected the API key" if has_key else "the server requires an API key"
        hint = f"set the environment variable {key_name} to your key" if key_name else ""
        return UnauthorizedError(f"{what}: {message}", hint=hint)
    if refusal.code == "insufficient_quota" or status == 402:
        return RejectedError(message, hint="the account has no credit left: check your plan and billing")
    if status == 429:
        return RateLimitedError(f"the server is limiting requests: {message}", retry_after=refusal.retry_after)
    if refusal.overflow:
        hint = "read with smaller pages, or set the window with --window"
        return ContextOverflowError(
            f"the prompt is too long for the model: {message}",
            hint=hint,
            window=refusal.window,
            prompt_tokens=refusal.prompt_tokens,
        )
    if refusal.no_model:
        return UnknownModelError(f"the server has no model {model!r}: {message}")
    if status in (408, 409) or status >= 500:
        return ServerFaultError(f"the server failed ({status}): {message}", retry_after=refusal.retry_after)
    return RejectedError(f"the server rejected the request ({status}): {message}")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait: the headers give milliseconds, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", value):
            return float(value) * unit
        if value:
            try:
                when = parsedate_to_datetime(value)
            except (ValueError, TypeError, OverflowError):
                continue
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            return max(0.0, (when - datetime.now(UTC)).total_seconds())
    return None


def _window(message: str) -> int | None:
    for pattern in _WINDOW:
        if found := _first_number(pattern.search(message)):
            return found
    return None


def _first_number(match: re.Match[str] | None) -> int | None:
    digits = next((group for group in match.groups() if group), "") if match else ""
    return int(digits.replace(",", "")[:12]) if digits else None
