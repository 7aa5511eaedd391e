"""A call in flight: it may outlive its callers, but is cancelled if nobody wants it before anything was sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from readagent.core.model import Reply

_current: ContextVar[InFlight | None] = ContextVar("readagent_in_flight", default=None)


class InFlight:
    """The task of one call, and how many callers wait for its reply."""

    def __init__(self) -> None:
        self.task: asyncio.Task[Reply] | None = None
        self.waiters = 0
        self.idle = False

    def bind(self) -> None:
        """Make this the call of the current task, for ``nothing_sent`` further down."""
        _current.set(self)

    def leave(self) -> bool:
        """Remove one caller. Returns True if the call was cancelled: no caller is left and nothing was sent yet."""
        self.waiters -= 1
        if self.waiters or not self.idle or self.task is None:
            return False
        return self.task.cancel()


@contextmanager
def nothing_sent() -> Iterator[None]:
    """Mark a wait for a slot or a retry. No request is open meanwhile, so a call without callers is cancelled here."""
    call = _current.get()
    if call is None:
        yield
        return
    if not call.waiters:
        raise asyncio.CancelledError
    call.idle = True
    try:
        yield
    finally:
        call.idle = False
