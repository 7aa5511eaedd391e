"""One process at a time makes a call; the others wait for its reply, and take over if it dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from readagent.core.model import Reply
from readagent.errors import LibraryError
from readagent.models.clock import Clock
from readagent.models.in_flight import nothing_sent
from readagent.models.waiting import SHORTEST, Notify, notify_wait

_ANNOUNCED_EVERY = 30.0  # seconds of waiting
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
    leases: Leases | None, key: str, find: Callable[[], Reply | None], clock: Clock, notify: Notify | None = None
) -> AsyncIterator[Reply | None]:
    """Hold the lease of a call during the block. Yield the reply if another process has made the call, else None.

    ``notify`` is called when another process takes long. Without ``leases`` there are no other processes.
    """
    if leases is None:
        yield None
        return
    pause, waited, announce_at = _FIRST_LOOK, 0.0, SHORTEST
    while not leases.take(key):
        if waited >= announce_at:
            notify_wait(notify, _ANNOUNCED_EVERY, "another process is making the same call")
            announce_at += _ANNOUNCED_EVERY
        with nothing_sent():
            await clock.sleep(pause)
        waited += pause
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
