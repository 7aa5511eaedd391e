"""FakeClock: time that passes at once, so that tests of long waits are fast."""

from __future__ import annotations

import asyncio
import heapq


class FakeClock:
    """A clock for Slots: a wait returns as soon as all shorter waits have, and moves the time on.

    ``waits`` are the waits so far, in seconds.
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
            while self._ends[0] != end:
                await asyncio.sleep(0)
            self.time = max(self.time, end[0])
        finally:
            self._ends.remove(end)
            heapq.heapify(self._ends)
