"""Shared patience: for how long several calls may wait together, however many of them the server limits or fails on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from readagent.models.limits import Slots

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
