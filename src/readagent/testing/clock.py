"""FakeClock: time that passes at once, so that tests of long waits are fast."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from readagent.models.clock import SystemClock


class FakeClock:
    """A clock on which a wait is over as soon as all shorter ones are, and moves the time on.

    ``time`` is the time in seconds, and ``waits`` are the waits so far.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.waits: list[float] = []
        self._ends: list[tuple[float, int]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        end = (self.time + seconds, len(self.waits))
        self.waits.append(seconds)
        heapq.heappush(self._ends, end)
        try:
            await asyncio.sleep(0)
            while self._ends[0] != end:  # noqa: ASYNC110 - the other waits may be on other event loops
                await asyncio.sleep(0)
            self.time = max(self.time, end[0])
        finally:
            self._ends.remove(end)
            heapq.heapify(self._ends)


@contextmanager
def no_waiting() -> Iterator[FakeClock]:
    """Let all waits for servers in this process pass at once, on the clock that is returned."""
    clock = FakeClock()
    with (
        patch.object(SystemClock, "now", lambda _: clock.now()),
        patch.object(SystemClock, "sleep", lambda _, seconds: clock.sleep(seconds)),
    ):
        yield clock
