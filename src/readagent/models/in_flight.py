"""Flight: a call on its way, which may outlive those who asked, but is given up while it only waits for its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from readagent.core.model import Reply

_current: ContextVar[Flight | None] = ContextVar("readagent_flight", default=None)


class Flight:
    """The task of one call and how many want its reply."""

    def __init__(self) -> None:
        self.task: asyncio.Task[Reply] | None = None
        self.wanted = 0
        self.waiting = False

    def board(self) -> None:
        """The task that calls this is the flight."""
        _current.set(self)

    def leave(self) -> bool:
        """One asker less; True where the flight was given up because nobody is left and nothing is sent yet."""
        self.wanted -= 1
        if self.wanted or not self.waiting or self.task is None:
            return False
        return self.task.cancel()


@contextmanager
def waiting() -> Iterator[None]:
    """Marks a wait for a slot or for a retry: nothing is on the line, so an unwanted flight ends here."""
    flight = _current.get()
    if flight is None:
        yield
        return
    if not flight.wanted:
        raise asyncio.CancelledError
    flight.waiting = True
    try:
        yield
    finally:
        flight.waiting = False
