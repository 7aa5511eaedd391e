"""Passing a reply on to whoever listens while it arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from readagent.core.model import Ask, Reply


def tell(ask: Ask, reply: Reply) -> Reply:
    """The reply, its text given to the listener in one piece, where it did not arrive in pieces."""
    if ask.listen is not None and reply.text:
        ask.listen(reply.text)
    return reply


class Hearing:
    """A listener that lasts over several attempts at the same reply, and can be closed.

    Every attempt starts the text from its beginning. What was heard of an earlier attempt is not passed on again:
    pieces count only from where the text becomes longer than anything heard before, so that the listener gets one
    text of the right length. Where a later attempt words things differently, the join shows; the reply's own text,
    which the caller keeps, never has one.
    """

    def __init__(self, listen: Callable[[str], None]) -> None:
        self._listen = listen
        self._heard = 0
        self._position = 0
        self._open = True

    def restart(self) -> None:
        """A new attempt begins."""
        self._position = 0

    def close(self) -> None:
        """Nobody listens any more."""
        self._open = False

    def __call__(self, piece: str) -> None:
        fresh = piece[max(0, self._heard - self._position) :]
        self._position += len(piece)
        self._heard = max(self._heard, self._position)
        if fresh and self._open:
            self._listen(fresh)


def heard_by(ask: Ask) -> tuple[Ask, Hearing | None]:
    """The ask with its listener wrapped, and the wrapper."""
    if ask.listen is None:
        return ask, None
    hearing = Hearing(ask.listen)
    return replace(ask, listen=hearing), hearing
