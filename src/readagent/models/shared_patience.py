"""Shared patience: for how long several calls may wait together, however many of them the server limits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from readagent.models.limits import Slots


@dataclass(slots=True)
class SharedPatience:
    """The seconds that calls may wait together, from the first of them on."""

    seconds: float
    _before: float | None = None  # what calls had waited when the first one began

    def begin(self, slots: Slots) -> None:
        """Note that a call begins."""
        if self._before is None:
            self._before = slots.waited

    def waited(self, slots: Slots) -> float:
        """Return the seconds that were waited since the first call."""
        return slots.waited - (self._before or 0.0)

    def left(self, slots: Slots) -> float:
        """Return the seconds that are left."""
        return self.seconds - self.waited(slots)


_current: ContextVar[SharedPatience | None] = ContextVar("shared_patience", default=None)


@contextmanager
def waiting_together(seconds: float) -> Iterator[None]:
    """Let the calls that are made inside, also by tasks that are started there, wait for so many seconds in all."""
    token = _current.set(SharedPatience(seconds))
    try:
        yield
    finally:
        _current.reset(token)


def shared_patience() -> SharedPatience | None:
    """Return the patience that the current call shares with others, if it does."""
    return _current.get()
