"""Windows that a server does not tell: what it has answered and refused, and requests that are tried all the same."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from readagent.core.token_rates import fewest_tokens
from readagent.core.tokens import TokenEstimate, likeness
from readagent.core.window import SMALLEST, usual_below
from readagent.errors import BadReplyError
from readagent.library import Library
from readagent.models.wire import decode_as, encode
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


class WindowProbe:
    """Tells whether a caller's request may fit a window, by how the server counted requests like it."""

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


SMALL = 4096  # tokens; hardly any server has a smaller window
_FILLED = 0.75  # of a window: what a request that is made to fit has at most, if no long reply is asked for
_BOUNDS_MARGIN = 0.75  # of a size that was refused; what was accepted is estimated, too, and may have been less


@dataclass(slots=True)
class Bounds:
    """What is known of a window in tokens, prompt and reply together. Libraries store this as JSON.

    ``accepted`` has the longest request that was answered, ``refused`` the shortest that was too long, ``guess`` the
    window that requests are made to fit, and ``own`` the one for our own calls, which begin small. ``refusing`` is
    whether the server was seen to refuse a request that is too long.
    """

    accepted: int = 0
    refused: int | None = None
    guess: int | None = None
    own: int = SMALL
    refusing: bool = False

    def refuses(self, size: int) -> bool:
        """Whether a request of this size is known to be too long."""
        return self.refused is not None and size >= self.refused

    @property
    def window(self) -> int:
        """The window that a request is made to fit: half of what was refused, or more if more was answered.

        Only usual sizes are tried, since the pages change with the window.
        """
        return max(self.guess or 0, usual_below(max(2, min(int(self.accepted / _FILLED), self.refused or 0))))

    @property
    def own_window(self) -> int:
        """The window for our own calls: small, but for what was answered before."""
        return min(self.window, max(self.own, self.accepted))

    def note_accepted(self, size: int) -> None:
        """Note that a request of this size was answered. A refusal of a shorter one was for another reason."""
        self.accepted = max(size, self.accepted)
        if self.refused is not None and size > self.refused:
            self.refused = self.guess = None

    def note_refused(self, size: int, window: int | None) -> None:
        """Note that a request of this size was refused, which was made to fit this ``window``, if it was."""
        self.refused = min(size, self.refused or size)
        self.accepted = min(self.accepted, int(_BOUNDS_MARGIN * size))
        self.guess = usual_below(max(2, min(half for half in (size, window, self.guess) if half) // 2 + 1))

    def take_over(self, found: Bounds) -> None:
        """Take over what was found with another request, which was answered in the end.

        That is nothing if a longer one was answered than the one that was too long: this one is a special case.
        """
        if found.refused is not None and found.refused <= self.accepted:
            return
        self.refused, self.guess = found.refused, found.guess
        self.own, self.accepted = min(self.own, found.own), min(self.accepted, found.accepted)

    def note_own_refused(self) -> bool:
        """Note that one of our own calls was refused. Return whether a smaller window is worth trying."""
        self.own = self.own_window // 2
        self.accepted = min(self.accepted, self.own)
        return self.own >= SMALLEST


class KnownBounds:
    """The bounds of each model of a server, for all callers."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known = dict[str, Bounds]()

    def of(self, identity: str) -> Bounds:
        """Return the bounds for a server and a model, as they were kept."""
        if identity not in self._known:
            data = self._library.facts(_name(identity))
            try:
                self._known[identity] = decode_as(data, Bounds) if data else Bounds()
            except BadReplyError:
                self._known[identity] = Bounds()
        return self._known[identity]

    def keep(self, identity: str) -> None:
        """Keep the bounds over a restart."""
        self._library.keep_facts(_name(identity), encode(self.of(identity)))


def _name(identity: str) -> str:
    return f"{identity} bounds of the window"
