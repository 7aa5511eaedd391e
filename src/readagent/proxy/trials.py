"""Requests whose estimate is over the window, but which may fit: what the server's counts of others like them tell.

Estimates are made to be high, and for some scripts and encoded data they are several times what a tokenizer counts.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from readagent.core.fewest_tokens import fewest_tokens
from readagent.core.tokens import TokenEstimate, likeness
from readagent.proxy.chat import ChatRequest, request_tokens, texts_of
from readagent.proxy.sizes import least_reply_room

_SIMILAR = 0.9  # likeness of the mixtures of two requests that are alike,
_AS_DENSE = 1.05  # and how far their characters for each estimated token may differ: encoded data is ASCII, too
_DOUBT = 1.03  # times the count that another request like this one suggests
_REMEMBERED = 64  # requests
_CUTTING = ("truncation", "truncate_prompt_tokens", "transforms")  # fields that let a server cut a prompt


@dataclass(frozen=True, slots=True)
class Profile:
    """What a request is like: its estimated tokens, in all and of each kind of character, and its characters.

    ``fewest`` are the tokens that it has at least.
    """

    tokens: int
    kinds: Mapping[str, float]
    characters: int
    fewest: int

    def is_like(self, other: Profile) -> bool:
        """Whether both are so similar that a tokenizer needs about as many tokens for each estimated one."""
        dense = self.characters * other.tokens / max(1, other.characters * self.tokens)
        return 1 / _AS_DENSE <= dense <= _AS_DENSE and likeness(self._mixture, other._mixture) >= _SIMILAR

    @property
    def _mixture(self) -> dict[str, float]:
        whole = sum(self.kinds.values()) or 1.0
        return {kind: found / whole for kind, found in self.kinds.items()}


@dataclass(frozen=True, slots=True)
class _Seen:
    """A request that was sent: the server has counted so many times the estimated tokens, or more if not ``exact``."""

    profile: Profile
    rate: float
    exact: bool


class Trials:
    """What is known about the tokens of one caller's requests, for each token that was estimated."""

    def __init__(self) -> None:
        self._seen: deque[_Seen] = deque(maxlen=_REMEMBERED)

    def profile(self, chat: ChatRequest, family: str) -> Profile:
        """Return what a request is like."""
        estimate, text = TokenEstimate(family), "\n".join(texts_of(chat))
        return Profile(
            request_tokens(chat, estimate.count), estimate.kinds(text), len(text), fewest_tokens(text, family)
        )

    def may_fit(self, profile: Profile, window: int, reply: int | None) -> bool:
        """Whether a request may fit the window: by the server's count of one like it, or else by its fewest tokens."""
        alike = [one for one in self._seen if one.profile.is_like(profile)]
        exact = [one.rate for one in alike if one.exact]
        if exact:
            return math.ceil(_DOUBT * exact[-1] * profile.tokens) <= window - least_reply_room(window, reply)
        least = max((one.rate * profile.tokens for one in alike), default=0.0)
        return max(profile.fewest, least) < window - (reply or 0)

    def note_counted(self, profile: Profile, tokens: int) -> None:
        """Note how many tokens the server counted in a request."""
        self._seen.append(_Seen(profile, tokens / profile.tokens, exact=True))

    def note_refused(self, profile: Profile, window: int, reply: int | None) -> None:
        """Note that a request was too long for the window, where the server does not say how long it is."""
        self._seen.append(_Seen(profile, (window - (reply or 0)) / profile.tokens, exact=False))


def lets_server_cut(chat: ChatRequest) -> bool:
    """Whether a request allows the server to leave out a part of a prompt that is too long."""
    return any(chat.body.get(name) not in (None, False, [], "disabled") for name in _CUTTING)
