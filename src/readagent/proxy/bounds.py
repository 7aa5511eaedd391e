"""Bounds of a window that the server does not tell: what it has answered, and what it has refused as too long."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.window import SMALLEST, usual_below
from readagent.errors import BadReplyError
from readagent.library import Library
from readagent.models.wire import decode_as, encode

SMALL = 4096  # tokens; hardly any server has a smaller window
_FILLED = 0.75  # of a window: what a request that is made to fit has at most, if no long reply is asked for
_DOUBT = 0.75  # of a size that was refused; what was accepted is estimated, too, and may have been less


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
        self.accepted = min(self.accepted, int(_DOUBT * size))
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
