"""Which kind of refusal a server means, and the numbers in its message.

``tests/fixtures/refusals`` has the wordings that must be understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from readagent.core.patterns import lazy_pattern

_URL = lazy_pattern(r"https?://\S+")
_QUOTES = lazy_pattern(r"[`'\"‘’]")
_NUMBER = lazy_pattern(r"(?<![\w.])-?(\d[\d,]{0,11})(?![\w]|\.\d)")  # a longer number is no count of tokens
_LIMIT = lazy_pattern(
    r"max|limit|(?:context|window).{0,40}|n_ctx|less than|up to|at most|exceed|allowed|range|batch|[<>]=?"
)
_COUNT = lazy_pattern(
    r"request|resulted|contain|has|have|given|got|received|n_keep|first|current|(?:and|\+) max_\w*|too large|value"
)
_COUNTED = lazy_pattern(r"\)? (?:tokens )?(?:\+|>=?|exceed|is greater)")  # after the count of a prompt
_IN_PROMPT = lazy_pattern(
    r"\)? (?:tokens )?(?:in|of|from)(?: the| your)? (?:messages|prompt|text|input)| (?:input|prompt) tokens"
)
_OF_PROMPT = lazy_pattern(r"message|prompt|input|text|resulted|n_keep|first|token count|contains|given|got")
_OF_REPLY = lazy_pattern(r"(?<!\+ )(?<!and )max_\w*tokens|max tokens|output|completion|maximum tokens you")
_OF_WINDOW = lazy_pattern(r"context|inputs? (?:token|length|and output)|length is")
_NO_TOKENS = lazy_pattern(r"characters|maxlength|message size \d")
_AROUND_NUMBER = 48  # characters before a number that say what it is,
_ABOUT = 80  # and what it is about
_REPEATED = 16  # characters before a number that show that the request is repeated
_LEAST = 64  # a smaller number is no count of tokens


@dataclass(frozen=True, slots=True)
class Told:
    """The numbers that a server names.

    ``request_limit`` is the most tokens of one request that a rate limit allows, ``excess`` the tokens by which a
    prompt exceeds the window, and ``affordable`` those of the longest reply that the account can pay for.
    """

    window: int | None = None
    prompt_tokens: int | None = None
    reply_limit: int | None = None
    request_limit: int | None = None
    excess: int | None = None
    affordable: int | None = None


def told_in(message: str, sent: str = "") -> Told:
    """Return the numbers that a message names.

    A server may repeat the request in its message. What it says in words of ``sent``, the texts of the request, is not
    its own, and does not count.
    """
    text, theirs = plain(message), _spaced(plain(sent))
    found: dict[str, int] = {}
    before = 0
    for number in () if _NO_TOKENS.search(text) else _NUMBER.finditer(text):
        value, end = int(number[1].replace(",", "")), number.end()
        start = text[max(before, number.start() - _AROUND_NUMBER) : number.start()]
        if value < _LEAST or start.endswith("<") or (theirs and _spaced(start[-_REPEATED:] + number[0]) in theirs):
            continue
        role = _role(start.rstrip(" (:="), text[end : end + 24], text[max(0, number.start() - _ABOUT) : number.start()])
        role = "request_limit" if role == "window" and "request too large" in text else role
        if role == "window" or _IN_PROMPT.match(text, end):  # the last limit counts, and what is said of the prompt
            found[role] = value
        found.setdefault(role, value)
        before = end
    if "reply_limit" in found and "(exclusive)" in text:
        found["reply_limit"] -= 1
    return Told(**{name: value for name, value in found.items() if name})


def _role(left: str, right: str, about: str) -> str:
    """Return which of the numbers in ``Told`` one is, by the words before it and after it; "" if it is none."""
    if "at least" in left:  # less than the prompt has
        return ""
    if left.endswith("by"):
        return "excess"
    if "afford" in left:
        return "affordable"
    limits, counts = ([found.start() for found in pattern.finditer(left)] for pattern in (_LIMIT, _COUNT))
    limit = max(limits, default=-1) > max(counts, default=-1) and not _COUNTED.match(right)
    if limit or re.match(r"(?: tokens?)? max(?!_)", right):
        of_reply = _OF_REPLY.search(about) or re.match(r" (?:completion|output)", right)
        return "reply_limit" if of_reply and not _OF_WINDOW.search(about) else "window"
    if "current length" in left:  # with some servers, of prompt and reply together
        return ""
    other = re.search(r"value|total", left) or _OF_REPLY.search(left + right)
    if _IN_PROMPT.match(right) or (_OF_PROMPT.search(left) and not other) or (_COUNTED.match(right) and not other):
        return "prompt_tokens"
    return ""


def is_repeated(name: str, value: int, sent: str) -> bool:
    """Whether a field of an error is one of the request."""
    return re.search(rf"{re.escape(name)}\W{{1,4}}{value}(?!\d)", plain(sent)) is not None


def plain(message: str) -> str:
    """Return a message in lower case, without quotation marks and addresses, as the patterns expect it."""
    return _QUOTES.sub("", _URL.sub(" ", message)).lower()


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
