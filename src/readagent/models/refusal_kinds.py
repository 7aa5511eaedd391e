"""Which kind of refusal a server means, and the numbers in its message.

``tests/fixtures/refusals`` has the wordings that must be understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from readagent.core.patterns import lazy_pattern

_N = r"(\d[\d,]{0,11})(?!\d)"  # a longer number is no count of tokens
_CAP = r"max(?:imum)?[_ ]?(?:new|completion|output)?[_ ]?tokens"
_URL = lazy_pattern(r"https?://\S+")
_QUOTES = lazy_pattern(r"[`'\"‘’]")

_REPLY_LIMIT = (
    rf"at most {_N} (?:completion|output) tokens",
    rf"{_CAP}: \d+ > {_N}, which is the maximum allowed number of output",
    rf"range of {_CAP} (?:is|should be) \[\d+, ?{_N}\]",
    rf"(?<!\+ ){_CAP}(?: value)? must be (?:<=|less than or equal to|at most|no more than) {_N}",
    rf"{_CAP} value of \d+ but the supported range is from 1 \(inclusive\) to {_N}",
    rf"{_CAP} you requested exceeds the model limit of {_N}",
    rf"{_CAP} exceeds the limit of {_N}",
    rf"exceeds (?:the )?models maximum output tokens \(?{_N}",
    rf"maximum output(?: length| tokens)?(?: is| of|:)+ {_N}",
)
_WINDOW = (
    rf"\d \+ \d+ > {_N}",
    rf"> {_N} (?:tokens )?(?:max|limit)",
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
    rf"length limit {_N}",
    rf"(?:cannot|should not) exceed (?:\w+ )?\(?{_N}",
    rf"total tokens? limit {_N}",
    rf"only supports up to {_N}",
    rf"max size: {_N} tokens",
    rf"\(\d+ > {_N}\)",
    rf"max input tokens ?= ?{_N}",
    rf"current batch size: {_N}",
)
_PROMPT = (
    rf"{_N} in (?:the|your) (?:messages|prompt)",
    rf"{_N} of text input",
    rf"{_N} tokens from the input",
    rf"(?:has|contains) {_N} (?:input |prompt )?tokens",  # not "at least", which is less than the prompt has
    rf"resulted in {_N} tokens",
    rf"prompt is too long: {_N}",
    rf"{_N} \+ \d+ > \d",
    rf"token count (?:of )?\(?{_N}\)? exceeds",
    rf"(?:request|input|prompt|requested tokens)(?: length| tokens)? \((?:length )?{_N}(?: tokens)?\)",
    rf"first {_N} tokens when",
    rf"n_keep: {_N}",
    rf"given: {_N}",
    rf"(?:prompt|input)(?: length)?(?: is)? {_N}(?: tokens| exceeds| is greater)",
    rf"token count is {_N}",
    rf"input tokens {_N}",
    rf"\({_N} > \d+\)",
    rf"max input tokens ?= ?\d+, got ?= ?{_N}",
)
_LENGTH = (rf"current length is {_N}",)
_AFFORDABLE = (rf"can only afford {_N}",)
_EXCESS = (rf"exceed(?:s|ed) .{{0,40}}by {_N} tokens", rf"exceeded by {_N} tokens")
_REQUEST_LIMIT = (rf"request too large.*limit:? {_N},? requested",)


@dataclass(frozen=True, slots=True)
class Told:
    """The numbers that a server names.

    ``request_limit`` is the most tokens of one request that a rate limit allows, ``excess`` the tokens by which a
    prompt exceeds the window, ``length`` those of the prompt or of prompt and reply together, and ``affordable`` those
    of the longest reply that the account can pay for.
    """

    window: int | None = None
    prompt_tokens: int | None = None
    reply_limit: int | None = None
    request_limit: int | None = None
    excess: int | None = None
    length: int | None = None
    affordable: int | None = None


def told_in(message: str, sent: str = "") -> Told:
    """Return the numbers that a message names.

    A server may repeat the request in its message. What it says in words of ``sent``, the texts of the request, is not
    its own, and does not count.
    """
    text, theirs = plain(message), _spaced(plain(sent))
    reply = _number(_REPLY_LIMIT, text, theirs)
    if reply and "(exclusive)" in text:
        reply -= 1
    others = (_REQUEST_LIMIT, _EXCESS, _LENGTH, _AFFORDABLE)
    return Told(
        _number(_WINDOW, text, theirs),
        _number(_PROMPT, text, theirs),
        reply,
        *(_number(patterns, text, theirs) for patterns in others),
    )


def is_repeated(name: str, value: int, sent: str) -> bool:
    """Whether a field of an error is one of the request."""
    return re.search(rf"{re.escape(name)}\W{{1,4}}{value}(?!\d)", plain(sent)) is not None


def plain(message: str) -> str:
    """Return a message in lower case, without quotation marks and addresses, as the patterns expect it."""
    return _QUOTES.sub("", _URL.sub(" ", message)).lower()


def _number(patterns: Sequence[str], text: str, theirs: str) -> int | None:
    found = (match for pattern in patterns for match in re.finditer(pattern, text, re.S))
    own = (match for match in found if not theirs or _spaced(match[0]) not in theirs)
    return next((int(match[1].replace(",", "")) for match in own), None)


def _spaced(text: str) -> str:
    """Return a text with printable characters only, and single spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


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
