"""Waiting for calls: a clock that tests can replace, announced waits, alarms, calls in flight, and leases.

One process at a time makes a call; the others wait for its reply, and take over if it dies.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from time import monotonic
from typing import Protocol

from readagent.core.model import Reply
from readagent.core.trace import Elsewhere, Waiting
from readagent.errors import LibraryError

Notify = Callable[[Waiting], None]

SHORTEST = 1.0  # seconds; shorter waits are not announced
_log = logging.getLogger(__name__)
logging.getLogger("readagent").addHandler(logging.NullHandler())


def log_wait(seconds: float, reason: str) -> None:
    """Write a line to the log."""
    if seconds >= SHORTEST:
        _log.info("waiting %.0f s: %s", seconds, reason)


def notify_wait(notify: Notify | None, seconds: float, reason: str) -> None:
    """Tell a listener, if there is one."""
    if notify is not None and seconds >= SHORTEST:
        notify(Waiting(seconds, reason))


class Clock(Protocol):
    """Tells the seconds since some moment, and waits."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Alarm:
    """Calls ``ring`` at the time that was set last, unless it is cleared before."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._task: asyncio.Task[None] | None = None
        self._at = 0.0
        self._reason = ""
        self._told: list[Notify] = []

    def set(self, at: float, reason: str) -> bool:
        """Set the time, and log the wait. Returns False if it was set to this time already."""
        if self._task is not None and self._at == at:
            return False
        self.clear()
        self._task, self._at, self._reason = asyncio.create_task(self._wait()), at, reason
        self._told.clear()
        log_wait(at - self._clock.now(), reason)
        return True

    def clear(self) -> None:
        """Cancel the alarm."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def tell(self, notify: Notify | None) -> None:
        """Tell a listener for how long and why it waits, unless no alarm is set or it was told before."""
        if self._task is not None and notify is not None and notify not in self._told:
            self._told.append(notify)
            notify_wait(notify, self._at - self._clock.now(), self._reason)

    async def _wait(self) -> None:
        await self._clock.sleep(max(0.0, self._at - self._clock.now()))
        self._task = None
        self._ring()


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


_RENEWED_EVERY = 5.0  # seconds
_FIRST_LOOK, _LAST_LOOK = 0.02, 0.25  # seconds between two looks for the reply of another process


class Leases(Protocol):
    """Who is making which call. A lease that is neither renewed nor released for a while is over."""

    def take(self, key: str) -> bool:
        """Take a lease; return False if another process has it."""
        ...

    def renew(self, key: str) -> bool:
        """Extend a lease; return False if another process has it now."""
        ...

    def release(self, key: str) -> None: ...


@asynccontextmanager
async def leased(
    leases: Leases | None,
    key: str,
    find: Callable[[], Reply | None],
    clock: Clock,
    notify: Callable[[Elsewhere], None] | None = None,
) -> AsyncIterator[Reply | None]:
    """Hold the lease of a call during the block. Yield the reply if another process has made the call, else None.

    ``notify`` is called when another process is making it. Without ``leases`` there are no other processes.
    """
    if leases is None:
        yield None
        return
    pause = _FIRST_LOOK
    while not leases.take(key):
        if pause == _FIRST_LOOK and notify is not None:
            notify(Elsewhere())
        with nothing_sent():
            await clock.sleep(pause)
        pause = min(1.5 * pause, _LAST_LOOK)
        reply = find()
        if reply is not None:
            yield reply
            return
    renewal = asyncio.create_task(_renew(leases, key))
    try:
        yield find()  # it may have been stored just before the lease was taken
    finally:
        renewal.cancel()
        leases.release(key)


async def _renew(leases: Leases, key: str) -> None:
    while True:
        await asyncio.sleep(_RENEWED_EVERY)  # not on the clock of a test: a lease ends by the time of day
        with suppress(LibraryError):  # the library is busy or full: the next attempt may succeed
            leases.renew(key)
