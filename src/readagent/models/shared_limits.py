"""SharedLimits: the limits of a server for the calls of many processes, kept in one place."""

from __future__ import annotations

import asyncio

from readagent.models.clock import Clock
from readagent.models.limits import Slots
from readagent.models.rates import rates
from readagent.models.turns import Turn

LIFETIME = 30.0  # seconds without a sign of life after which the calls of a worker no longer count


class SharedLimits:
    """At most ``most`` concurrent calls of all workers together, and so many requests and tokens per minute.

    A call is known by a ticket that its worker chooses. The calls of a worker that gives no sign of life for a while
    are forgotten, so that a worker that was killed does not keep their slots.
    """

    def __init__(
        self, most: int, requests: int | None = None, tokens: int | None = None, *, clock: Clock | None = None
    ) -> None:
        self._slots = Slots(most, limits=rates(requests, tokens), clock=clock)
        self._granted: dict[str, dict[str, Turn]] = {}
        self._waiting: dict[tuple[str, str], asyncio.Task[object]] = {}
        self._seen: dict[str, float] = {}

    @property
    def active(self) -> int:
        """The number of calls that were let through and have not ended."""
        return sum(map(len, self._granted.values()))

    async def admit(self, worker: str, ticket: str, step: str, tokens: int) -> None:
        """Wait until this call of a worker may be sent."""
        self.alive(worker)
        task = asyncio.current_task()
        assert task is not None
        self._waiting[worker, ticket] = task
        try:
            turn = await self._slots.acquire(step, tokens=tokens)
        finally:
            del self._waiting[worker, ticket]
        self._granted.setdefault(worker, {})[ticket] = turn

    def pause(self, worker: str, ticket: str, seconds: float, reason: str) -> None:
        """Stop the calls of all workers for a while, since the server asked for it in its answer to this one."""
        turn = self._granted.get(worker, {}).get(ticket)
        if turn is not None:
            self._slots.pause(turn, seconds, reason, most=1.1 * seconds, halve=True)

    def done(self, worker: str, ticket: str, used: int | None) -> None:
        """Note that a call has ended, or that its worker no longer waits for it."""
        if (waiting := self._waiting.get((worker, ticket))) is not None:
            waiting.cancel()
        turn = self._granted.get(worker, {}).pop(ticket, None)
        if turn is not None:
            if used is not None:
                self._slots.answered(turn, used)
            self._slots.release(turn)

    def alive(self, worker: str) -> None:
        """Note that a worker is alive, and forget those that have not been for a while."""
        now = self._slots.clock.now()
        self._seen[worker] = now
        for other, seen in list(self._seen.items()):
            if now - seen > LIFETIME:
                self.forget(other)

    def forget(self, worker: str) -> None:
        """Forget the calls of a worker that is gone."""
        self._seen.pop(worker, None)
        for ticket in [ticket for owner, ticket in self._waiting if owner == worker]:
            self._waiting[worker, ticket].cancel()
        for turn in self._granted.pop(worker, {}).values():
            self._slots.release(turn)
