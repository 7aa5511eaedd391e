"""Alarm: something that happens at a time, and that the listeners of those who wait for it are told about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from readagent.models.clock import Clock
from readagent.models.waiting import Notify, log_wait, notify_wait


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
