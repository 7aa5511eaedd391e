"""Limits of a server for the calls of many processes, and for how long several calls may wait together."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from readagent.models.fair_queue import Turn, rates
from readagent.models.limits import Slots
from readagent.models.waiting import Clock

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


_OTHERS = 3  # calls


@dataclass(slots=True)
class SharedPatience:
    """The seconds that calls may wait together, from the first of them on.

    A server that fails on all of them, and neither limits requests nor is busy, is tried for ``faults`` seconds. What
    other calls have waited before does not count.
    """

    seconds: float
    faults: float = math.inf
    _began: float | None = None  # when the first call began,
    _before: float = 0.0  # and what calls had waited then
    _failed: tuple[float, int] | None = None  # the time of the first fault since a success, and how many of those
    _calls: list[object] = field(default_factory=list)  # those that the server has failed on since

    def begin(self, slots: Slots) -> None:
        """Note that a call begins."""
        if self._began is None:
            self._began, self._before = slots.clock.now(), slots.waited

    def failing(self, slots: Slots, since: float) -> float:
        """Return for how many seconds a server has failed on these calls that has been failing ``since`` this time."""
        return slots.clock.now() - max(since, self._began or 0.0)

    def waited(self, slots: Slots) -> float:
        """Return the seconds that were waited since the first call."""
        return slots.waited - self._before

    def left(self, slots: Slots) -> float:
        """Return the seconds that are left."""
        return self.seconds - self.waited(slots)

    def left_after_fault(self, slots: Slots, call: object) -> float:
        """Return the seconds for which a server is still tried that has just failed on a ``call``."""
        now, successes = slots.clock.now(), slots.successes
        if self._failed is None or self._failed[1] != successes:
            self._failed = now, successes
            self._calls.clear()
        if not any(one is call for one in self._calls):
            self._calls.append(call)
        return self.faults - (now - self._failed[0])

    @property
    def fails_on_others(self) -> bool:
        """Whether the server fails on so many calls that it is not about one text."""
        return len(self._calls) >= _OTHERS


_current: ContextVar[SharedPatience | None] = ContextVar("shared_patience", default=None)


@contextmanager
def waiting_together(seconds: float, faults: float = math.inf) -> Iterator[None]:
    """Let the calls that are made inside, also by tasks that are started there, wait for so many seconds in all.

    A server that fails on everything is given up after ``faults`` seconds.
    """
    token = _current.set(SharedPatience(seconds, faults))
    try:
        yield
    finally:
        _current.reset(token)


def shared_patience() -> SharedPatience | None:
    """Return the patience that the current call shares with others, if it does."""
    return _current.get()
