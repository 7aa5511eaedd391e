"""Which kind of refusal a server means. ``tests/fixtures/refusals`` has the wordings that must be understood."""

from __future__ import annotations

import re
from typing import Literal

from readagent.core.patterns import lazy_pattern
from readagent.models.refusal_numbers import Told, plain

Kind = Literal[
    "overflow",  # the prompt, or prompt and reply together, exceed the window
    "page_too_long",  # the same for this text, while a hardly shorter one was answered
    "reply_too_long",  # a reply as long as max_tokens is not allowed
    "parameter",  # a parameter is not supported
    "content",  # a content filter refuses the text
    "unauthorized",  # the key is missing or wrong
    "payment",  # the account has no credit
    "no_model",  # the model, or the path, does not exist
    "rate_limit",  # too many requests or tokens in a time
    "busy",  # the server is overloaded or not ready
    "fault",  # the server failed
    "other",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(patterns), re.S)


_AROUND = 16  # characters before or after what is repeated from a request
_OVERFLOW = _any(
    r"context[_ ](?:length|window|size|limit)|n_ctx|contextwindowexceeded",
    r"max(?:imum)?[_ ](?:context|model|prompt|input|seq|sequence)[_ ]len",
    r"maximum (?:supported )?sequence length|maximum allowed length|model max length exceeded|input length limit",
    r"(?:prompt|input|request|messages?|text) (?:(?:is|are|was) )?too (?:long|large)|too many (?:input )?tokens",
    r"too large to process",
    r"exceeds?.{0,40}(?:n_ctx|context|tokens?\b|window)|exceeded model token limit|prompt exceeds max",
    r"(?:input|prompt) token count|reduce the length|range of input length|message size \d+ exceeds|上下文长度",
    r"tokens in request more than max tokens allowed",
    r"(?:input|output|prompt|total) tokens.{0,40}exceeds? (?:the )?(?:\w+ ){0,3}limit|max input characters|超长",
    r"prompt and max_tokens.{0,20}should not exceed|expected maxlength: \d+, actual",
    r"inputs tokens \+ max_new_tokens|inputs must have less than|max_tokens must be at least 1, got -",
)
_REPLY_TOO_LONG = _any(
    r"max(?:_completion|_new|_output)?_tokens is too large", r"invalid max(?:_completion|_new|_output)?_tokens"
)
_CONTENT = _any(
    r"content[ _]?(?:filter|policy|management|moderation)|responsibleaipolicy|data_?inspection|inappropriate content",
    r"content exists risk|flagged|moderation|prohibited_content|safety (?:system|filter|reasons|settings)",
    r"blocked by (?:\w+ )?(?:content|safety|policy)|guardrail|safety_check|不安全或敏感|敏感内容",
    r"violat\w+ (?:our |the )?(?:usage|content|community|safety) (?:guideline|polic)|considered high risk",
)
_PAYMENT = _any(
    r"insufficient[ _](?:balance|credits?|funds|quota)|credit balance is too low|billing_(?:hard|not)|out of credits",
    r"exceeded your current quota|payment required|requires more credits|arrearage",
)
_RATE = _any(
    r"tokens? per (?:min|day|hour|sec)|requests? per (?:min|day|hour|sec)|\b[tr]p[md]\b",
    r"rate[ _-]?limit|throttl|too many requests|resource_exhausted",
)
_BUSY = _any(r"overload|loading|no capacity|at capacity|unavailable|server is busy|too busy")
_NO_MODEL = _any(
    r"model\b.{0,80}(?:not found|does not exist|not exist|not available|not loaded)",
    r"(?:unknown|invalid|no such) model|not a valid model|model_not_found|deploymentnotfound",
)
_KEY = _any(r"invalid_api_key|incorrect api key|api[ _]key (?:not valid|invalid|is invalid)|api_key_invalid")
_PARAMETER = _any(
    r"unsupported[_ ](?:parameter|value)|unknown[_ ]parameter|unrecognized (?:request )?argument|unexpected keyword",
    r"extra[_ ](?:fields|inputs|forbidden)|not (?:supported|permitted)|does not support",
)


def kind_of(status: int, codes: frozenset[str], message: str, told: Told, *, waits: bool) -> Kind:
    """Return the kind of a refusal. ``waits`` says that the server names a time after which to try again."""
    text = " ".join([plain(message), *sorted(codes)])
    if status == 401:
        return "unauthorized"
    if status == 429:
        no_credit = _PAYMENT.search(text) and not waits and "resource_exhausted" not in text
        return "payment" if no_credit else "rate_limit"
    if status == 451 or (status in (200, 400, 403, 413, 422) and _CONTENT.search(text)):
        return "content"
    if _KEY.search(text) or (status == 403 and not _RATE.search(text)):
        return "unauthorized"
    if status == 402 or (status < 500 and not waits and _PAYMENT.search(text)):
        return "payment"
    if status < 500 and _RATE.search(text):
        return "rate_limit"
    size = _size(status, text, told) if status in (200, 400, 413, 422, 500, 502) else None
    return size or _plain_kind(status, text)


def says_too_long(status: int, codes: frozenset[str], message: str, sent: str) -> bool:
    """Whether a server says in its own words that a request is too long, and does not repeat them from ``sent``."""
    text, theirs = plain(message), plain(sent)
    if status == 413 or _OVERFLOW.search(" ".join(codes)):
        return True
    for found in _OVERFLOW.finditer(text):
        before = text[max(0, found.start() - _AROUND) : found.end()]
        after = text[found.start() : found.end() + _AROUND]
        if before not in theirs and after not in theirs:
            return True
    return False


def says_no_model(codes: frozenset[str], message: str) -> bool:
    """Whether a server says that it does not have the model, and not only that there is nothing at an address."""
    return _NO_MODEL.search(" ".join([plain(message), *sorted(codes)])) is not None


def _size(status: int, text: str, told: Told) -> Kind | None:
    """Return whether the prompt or the reply is too long, or None."""
    if told.reply_limit is not None:
        return "reply_too_long"
    if status == 413 or _OVERFLOW.search(text):
        return "overflow"
    return "reply_too_long" if _REPLY_TOO_LONG.search(text) else None


def _plain_kind(status: int, text: str) -> Kind:
    """Return a kind that depends on the status in the first place."""
    if status == 404 or (status < 500 and _NO_MODEL.search(text)):
        return "no_model"
    if status in (503, 529) or (status not in (400, 422) and _BUSY.search(text)):
        return "busy"
    if status in (408, 409) or (status >= 500 and status != 501):
        return "fault"
    return "parameter" if _PARAMETER.search(text) else "other"
