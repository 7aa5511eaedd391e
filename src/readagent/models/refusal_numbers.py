"""The numbers in the message of a refusal: the window, the prompt's tokens, and the longest reply or request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
