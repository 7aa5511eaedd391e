"""Pass a reply on to a listener while it arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from readagent.core.model import Ask, Reply


def emit(ask: Ask, reply: Reply) -> Reply:
    """Send the whole text of a reply to the ask's listener, if there is one. Returns the reply."""
    if ask.listen is not None and reply.text:
        ask.listen(reply.text)
    return reply


class StreamListener:
    """A listener that spans several attempts at the same reply, and can be closed.

    Every attempt streams the text from its beginning. Characters at positions that an earlier attempt already reached
    are skipped, so that the listener receives one text of the right length. If a later attempt is worded differently,
    the listener sees a seam; the text of the returned reply never has one.
    """

    def __init__(self, listen: Callable[[str], None]) -> None:
        self._listen = listen
        self._passed_on = 0
        self._position = 0
        self._open = True

    def restart(self) -> None:
        """Start a new attempt."""
        self._position = 0

    def close(self) -> None:
        """Stop passing text on."""
        self._open = False

    def __call__(self, piece: str) -> None:
        new = piece[max(0, self._passed_on - self._position) :]
        self._position += len(piece)
        self._passed_on = max(self._passed_on, self._position)
        if new and self._open:
            self._listen(new)


def wrap_listener(ask: Ask) -> tuple[Ask, StreamListener | None]:
    """Return the ask with its listener wrapped in a StreamListener, and the wrapper."""
    if ask.listen is None:
        return ask, None
    listener = StreamListener(ask.listen)
    return replace(ask, listen=listener), listener
