"""Pass a reply on to a listener while it arrives."""

from __future__ import annotations

from dataclasses import replace

from readagent.core.model import Ask, Reply


def emit(ask: Ask, reply: Reply) -> Reply:
    """Send the whole text of a reply to the ask's listener, if there is one. Returns the reply."""
    if ask.listen is not None and reply.text:
        ask.listen(reply.text)
    return reply


class StreamListener:
    """The listener of an ask over several attempts at the same reply; it can be closed.

    If a later attempt starts after text was passed on, the ask's ``restart`` is called first. An ask without one
    receives only the text of the first attempt.
    """

    def __init__(self, ask: Ask) -> None:
        assert ask.listen is not None
        self._listen, self._restart = ask.listen, ask.restart
        self._begun = False
        self._open = True

    def restart(self) -> None:
        """Start a new attempt."""
        if not self._begun or not self._open:
            return
        self._begun = False
        if self._restart is None:
            self._open = False
        else:
            self._restart()

    def close(self) -> None:
        """Stop passing text on."""
        self._open = False

    def __call__(self, piece: str) -> None:
        if piece and self._open:
            self._begun = True
            self._listen(piece)


def wrap_listener(ask: Ask) -> tuple[Ask, StreamListener | None]:
    """Return the ask with its listener wrapped in a StreamListener, and the wrapper."""
    if ask.listen is None:
        return ask, None
    listener = StreamListener(ask)
    return replace(ask, listen=listener, restart=listener.restart), listener
