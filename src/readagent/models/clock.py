"""Clock: the time and the waits of everything that waits for a server, so that tests can replace both."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Protocol


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
