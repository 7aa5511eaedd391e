"""The window of a model: what its server lists or names, or else what its answers and refusals have shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from readagent.core.tokens import TokenEstimate
from readagent.core.window import SMALLEST, Window, usual_below
from readagent.errors import BadReplyError, ContextOverflowError
from readagent.library import Library
from readagent.models.endpoint import Endpoint
from readagent.models.wire import decode_as, encode
from readagent.proxy.chat import ChatRequest, pictures
from readagent.proxy.sizes import least_reply_room

_FAR = 0.5  # of a size in tokens: less than this is far less, however low the estimate is
_ABOUT = 0.75  # of a size that is only estimated
_SMALL = 4096  # tokens; hardly any server has a smaller window
_FILLED = 0.75  # of a window: what a request that is made to fit has at most, if no long reply is asked for
_DOUBT = 1.03  # times the count that the last one suggests
_HIGH = 5  # times the tokens that a text has: estimates are not higher for any script


def halved(tokens: int) -> int:
    """Return the largest usual window of at most half of this one: usual sizes, since the pages change with them."""
    return usual_below(max(2, tokens // 2 + 1))


@dataclass(slots=True)
class Bounds:
    """What is known of a window in tokens, prompt and reply together. Libraries store this as JSON.

    ``accepted`` has the longest request that was answered, ``refused`` the shortest that was too long, ``guess`` the
    window that requests are made to fit: it is halved with each refusal. ``refusing`` is whether the server was seen to
    refuse a request that is too long.
    """

    accepted: int = 0
    refused: int | None = None
    guess: int | None = None
    refusing: bool = False

    def refuses(self, size: int) -> bool:
        """Whether a request of this size is known to be too long."""
        return self.refused is not None and size >= self.refused

    @property
    def window(self) -> int:
        """The window that a request is made to fit: half of what was refused, or more if more was answered."""
        return max(self.guess or 0, usual_below(max(2, min(int(self.accepted / _FILLED), self.refused or 0))))

    @property
    def own_window(self) -> int:
        """The window for our own calls: small, but for what was answered before."""
        return min(self.window, max(_SMALL, self.accepted))

    def note_accepted(self, size: int) -> None:
        """Note that a request of this size was answered. A refusal of a shorter one was for another reason."""
        self.accepted = max(size, self.accepted)
        if self.refused is not None and size > self.refused:
            self.refused = self.guess = None

    def note_refused(self, size: int, window: int | None) -> None:
        """Note that a request of this size was refused, which was made to fit this ``window``, if it was."""
        self.refused = min(size, self.refused or size)
        self.accepted = min(self.accepted, int(_ABOUT * size))  # it is estimated, too, and may have been less
        self.guess = halved(min(known for known in (size, window, self.guess) if known))

    def note_own_refused(self) -> bool:
        """Note that one of our own calls was refused. Return whether a smaller window is worth trying."""
        self.guess = halved(self.own_window)
        self.accepted = min(self.accepted, self.guess)
        return self.guess >= _SMALL

    def take_over(self, found: Bounds) -> None:
        """Take over what was found with another request, which was answered in the end.

        That is nothing if a longer one was answered than the one that was too long: this one is a special case.
        """
        if found.refused is not None and found.refused > self.accepted:
            self.refused, self.guess, self.accepted = found.refused, found.guess, min(self.accepted, found.accepted)


class KnownBounds:
    """The bounds of each model of a server, for all callers and after a restart."""

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


class ModelWindow:
    """The window of a model, as one caller knows it.

    A window that the server names in an error counts for all callers, or for this one only if it lists a larger one.
    ``bounds`` is what all callers know of a window that the server does not name.
    """

    def __init__(self, endpoint: Endpoint, kept: KnownBounds) -> None:
        self._endpoint, self._kept = endpoint, kept
        self._learnt: int | None = None
        self._ratio: float | None = None  # tokens that the server counted in a request for each estimated one

    async def now(self) -> Window:
        """Return the window as far as it is known."""
        sizes = [size for size in (self._learnt, await self._endpoint.window()) if size is not None]
        known = min(sizes, default=None)
        return self.of(known if known is not None and known >= SMALLEST else None)

    def of(self, tokens: int | None) -> Window:
        """Return a window of this size.

        Estimates are never lowered: a language may have many more tokens than another in the same script.
        """
        return Window(tokens, self._endpoint.counter.snapshot().at_least(1.0))

    def steady(self) -> TokenEstimate:
        """Return estimates that what was learnt meanwhile does not change: the same request has the same tokens."""
        return TokenEstimate(self._endpoint.counter.family)

    @property
    def bounds(self) -> Bounds:
        """What is known of a window that the server does not name, from the requests of all callers."""
        return self._kept.of(self._endpoint.identity)

    @property
    def refuses_long(self) -> bool:
        """Whether the server is known to refuse a prompt that is too long, and not to cut it.

        A window that the user has given need not be the server's, which then accepts more.
        """
        known = self._endpoint.refuses_long
        given = self._endpoint.listed_window is not None and self._endpoint.reported is None
        return not given and (self.bounds.refusing if known is None else known)

    def may_fit(self, estimated: int, window: int, reply: int | None) -> bool:
        """Whether a request may fit the window although its estimate is too long, by the last count of the server."""
        if self._ratio is None:
            return estimated <= _HIGH * window
        return math.ceil(_DOUBT * self._ratio * estimated) <= window - least_reply_room(window, reply)

    def note_counted(self, estimated: int, counted: int) -> None:
        """Note how many tokens the server counted in a request, or how many it has at least."""
        self._ratio = counted / max(1, estimated)

    def note_refusing(self) -> None:
        """Note that the server has refused a request that is too long."""
        if not self.bounds.refusing:
            self.bounds.refusing = True
            self._kept.keep(self._endpoint.identity)

    def note_accepted(self, tokens: int, bounds: Bounds | None = None) -> None:
        """Note that the server has answered a request of about so many tokens, and the ``bounds`` found with it."""
        if bounds is not None:
            self.bounds.take_over(bounds)
        self.bounds.note_accepted(tokens)
        if self.bounds.refused is not None:
            self._kept.keep(self._endpoint.identity)

    def believes(self, error: ContextOverflowError, chat: ChatRequest, size: int) -> bool:
        """Whether a request can be too long; numbers in the error that cannot be true are removed.

        A request is not too long that is far shorter than what the server lists, or has accepted; its window is not
        smaller than that, nor far larger than what it has refused. Pictures cannot be counted, and show nothing. If the
        server adds something to a request that is far shorter than the window, making it shorter is of no use.
        """
        if any(map(pictures, chat.messages)):
            return True
        accepted = max(self._endpoint.longest_accepted, self.bounds.accepted)
        asked = size + (chat.longest_reply or 0)
        named = error.window if chat.uncounted else None
        if asked < _FAR * max(accepted, self._endpoint.listed_window or 0, named or 0):
            return False
        if error.window is not None and not _ABOUT * accepted <= error.window <= asked / _FAR:
            error.window = error.prompt_tokens = None
        return True

    def learn_count(self, prompt: str, tokens: int) -> None:
        """Correct the estimates by the tokens that the server counted in a prompt."""
        self._endpoint.counter.learn(prompt, tokens)

    def keep(self, window: int, *, named: bool) -> None:
        """Keep a window that was learnt, unless a smaller one was known; for all callers if the server ``named`` it."""
        if window >= SMALLEST and (self._learnt is None or window < self._learnt):
            self._learnt = window
            if named and window >= (self._endpoint.listed_window or 0):
                self._endpoint.learn_window(window)

    def after_own(self, window: Window, error: ContextOverflowError, bounds: Bounds | None) -> Window:
        """Return the window to go on with after one of our own calls was refused as too long; else raise the error."""
        if error.window is None and error.asked is not None and error.asked < _FAR * (self._endpoint.reported or 0):
            if not self._endpoint.longest_accepted:
                raise error
            return window  # others are answered that are as long: it is about this text
        if bounds is not None and error.window is None:
            if not bounds.note_own_refused():
                raise error
            return self.of(bounds.window)
        learnt = window.after_overflow(error).tokens
        assert learnt is not None
        self.keep(learnt, named=error.window is not None)
        return self.of(learnt)
