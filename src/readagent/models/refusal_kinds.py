"""What kind of refusal a server's wording means, and the numbers in it. The fixtures of the tests list the wordings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "overflow",  # the prompt, or prompt and reply together, exceed the window
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

_N = r"(\d[\d,]{0,14})"
_CAP = r"max(?:imum)?[_ ]?(?:new|completion|output)?[_ ]?tokens"

_REPLY_LIMIT = (
    rf"at most {_N} (?:completion|output) tokens",
    rf"{_CAP}: \d+ > {_N}, which is the maximum allowed number of output",
    rf"range of {_CAP} (?:is|should be) \[\d+, ?{_N}\]",
    rf"(?<!\+ ){_CAP}(?: value)? must be (?:<=|less than or equal to|at most|no more than) {_N}",
    rf"{_CAP} value of \d+ but the supported range is from 1 \(inclusive\) to {_N}",
    rf"{_CAP} you requested exceeds the model limit of {_N}",
    rf"maximum output(?: length| tokens)?(?: is| of|:)+ {_N}",
)
_WINDOW = (
    rf"\d \+ \d+ > {_N}",
    rf"> {_N} (?:tokens )?(?:maximum|limit)",
    rf"\+ {_CAP} must be <= {_N}",
    rf"must have less than {_N} tokens",
    rf"range of input length should be \[\d+, ?{_N}\]",
    rf"{_N}(?: tokens?)? maximum context",
    rf"n_ctx\W{{1,3}}{_N}",
    rf"context (?:length|window|size|limit)(?: limit| allowed)?(?: is| of| only| just|:|=)* \(?{_N}",
    rf"max(?:imum)? (?:\w+ )?(?:\w+ )?length(?: is| of| just|:)* ?\(?{_N}",
    rf"max_(?:seq|model)_len \(?{_N}",
    rf"tokens? allowed \(?{_N}",
    rf"limit(?: for this model)?(?: is| of|:)+ {_N}",
    rf"cannot exceed {_N}",
)
_PROMPT = (
    rf"{_N} in (?:the|your) (?:messages|prompt)",
    rf"{_N} of text input",
    rf"{_N} tokens from the input",
    rf"(?:has|contains) {_N} (?:input |prompt )?tokens",
    rf"resulted in {_N} tokens",
    rf"prompt is too long: {_N}",
    rf"{_N} \+ \d+ > \d",
    rf"token count (?:of )?\(?{_N}\)? exceeds",
    rf"(?:request|input|prompt|requested tokens)(?: length| tokens)? \((?:length )?{_N}(?: tokens)?\)",
    rf"first {_N} tokens when",
    rf"n_keep: {_N}",
    rf"given: {_N}",
    rf"(?:prompt|input)(?: length)?(?: is)? {_N}(?: tokens| exceeds| is greater)",
    rf"current length is {_N}",
)
_REQUEST_LIMIT = (rf"request too large.*limit:? {_N},? requested",)

_OVERFLOW = (
    r"context[_ ](?:length|window|size|limit)|max(?:imum)?[_ ](?:context|model|prompt|input|seq|sequence)[_ ]len"
    r"|maximum (?:supported )?sequence length|maximum allowed length|n_ctx|contextwindowexceeded"
    r"|(?:prompt|input|request|messages?|text) (?:(?:is|are|was) )?too (?:long|large)|too many (?:input )?tokens"
    r"|input token count|exceeds?.{0,40}(?:n_ctx|context|tokens?\b|window)|reduce the length|range of input length"
    r"|inputs tokens \+ max_new_tokens|inputs must have less than|prompt exceeds max|prompt token count"
    r"|exceeded model token limit|model max length exceeded|max_tokens must be at least 1, got -",
)
_REPLY_TOO_LONG = (rf"{_CAP} is too large|invalid {_CAP} value",)
_CONTENT = (
    r"content[ _]?(?:filter|policy|management|moderation)|responsibleaipolicy|data_?inspection|inappropriate content"
    r"|content exists risk|flagged|moderation|prohibited_content|safety (?:system|filter|reasons|settings)"
    r"|blocked by (?:\w+ )?(?:content|safety|policy)|block_?reason|guardrail|sensitive_words|不安全或敏感|敏感内容",
)
_PAYMENT = (
    r"insufficient[ _](?:balance|credits?|funds|quota)|credit balance is too low|billing_(?:hard|not)|out of credits"
    r"|exceeded your current quota|payment required|requires more credits|arrearage",
)
_RATE = (
    r"tokens? per (?:min|day|hour|sec)|requests? per (?:min|day|hour|sec)|\b[tr]p[md]\b|rate[ _-]?limit|throttl"
    r"|too many requests|resource_exhausted",
)
_BUSY = (r"overload|loading|no capacity|at capacity|unavailable|server is busy|too busy",)
_NO_MODEL = (
    r"model\b.{0,80}(?:not found|does not exist|not exist|not available|not loaded)|(?:unknown|invalid|no such) model"
    r"|not a valid model|model_not_found|deploymentnotfound",
)
_KEY = (r"invalid_api_key|incorrect api key|api[ _]key (?:not valid|invalid|is invalid)|api_key_invalid",)
_PARAMETER = (
    r"unsupported[_ ](?:parameter|value)|unknown[_ ]parameter|unrecognized (?:request )?argument|extra[_ ](?:fields"
    r"|inputs|forbidden)|not (?:supported|permitted)|does not support|unexpected keyword",
)
_URL = re.compile(r"https?://\S+")
_QUOTES = re.compile(r"[`'\"‘’]")


@dataclass(frozen=True, slots=True)
class Told:
    """The numbers in a message. ``request_limit`` is the most tokens of one request that a rate limit allows."""

    window: int | None = None
    prompt_tokens: int | None = None
    reply_limit: int | None = None
    request_limit: int | None = None

    def __or__(self, other: Told) -> Told:
        """Return these numbers with those of ``other`` in their place, where it has any."""
        return Told(
            other.window or self.window,
            other.prompt_tokens or self.prompt_tokens,
            other.reply_limit or self.reply_limit,
            other.request_limit or self.request_limit,
        )


def told_in(message: str) -> Told:
    """Return the numbers that a message names."""
    text = _plain(message)
    return Told(_number(_WINDOW, text), _number(_PROMPT, text), _reply_limit(text), _number(_REQUEST_LIMIT, text))


def kind_of(status: int, codes: frozenset[str], message: str, told: Told, *, waits: bool) -> Kind:
    """Return the kind of a refusal. ``waits`` says that the server names a time after which to try again."""
    text = " ".join([_plain(message), *sorted(codes)])
    if status == 401:
        return "unauthorized"
    if status == 429:
        return _limited(text, waits)
    if status in (200, 400, 403, 413, 422, 451) and _has(_CONTENT, text):
        return "content"
    if _has(_KEY, text) or (status == 403 and not _has(_RATE, text)):
        return "unauthorized"
    if status == 402 or (status < 500 and not waits and _has(_PAYMENT, text)):
        return "payment"
    if status < 500 and _has(_RATE, text):
        return "rate_limit"
    if status in (200, 400, 413, 422, 500, 502) and (size := _size(status, text, told)):
        return size
    if status == 404 or (status < 500 and _has(_NO_MODEL, text)):
        return "no_model"
    if status in (503, 529) or (status not in (400, 422) and _has(_BUSY, text)):
        return "busy"
    if status in (408, 409) or (status >= 500 and status != 501):
        return "fault"
    return "parameter" if _has(_PARAMETER, text) else "other"


def _size(status: int, text: str, told: Told) -> Kind | None:
    """Return whether the prompt or the reply is too long, or None."""
    if told.reply_limit is not None:
        return "reply_too_long"
    if status == 413 or _has(_OVERFLOW, text):
        return "overflow"
    return "reply_too_long" if _has(_REPLY_TOO_LONG, text) else None


def _limited(text: str, waits: bool) -> Kind:
    """Return the kind of a 429: no credit is not a matter of waiting."""
    return "payment" if _has(_PAYMENT, text) and not waits and "resource_exhausted" not in text else "rate_limit"


def _reply_limit(text: str) -> int | None:
    found = _number(_REPLY_LIMIT, text)
    return found - 1 if found and "(exclusive)" in text else found


def _plain(message: str) -> str:
    """Return a message in lower case, without quotation marks and addresses."""
    return _QUOTES.sub("", _URL.sub(" ", message)).lower()


def _has(patterns: Iterable[str], text: str) -> bool:
    return any(re.search(pattern, text, re.S) for pattern in patterns)


def _number(patterns: Iterable[str], text: str) -> int | None:
    found = (re.search(pattern, text, re.S) for pattern in patterns)
    return next((int(match[1].replace(",", "")) for match in found if match), None)
