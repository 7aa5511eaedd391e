"""Redraw what is shown while a command waits: a mark that turns, and the time that has passed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

_EVERY = 0.1  # seconds
_MARKS = "|/-\\"


class Ticker:
    """Calls a function again and again on a thread of its own, from ``start`` until ``stop``."""

    def __init__(self, tick: Callable[[], None]) -> None:
        self._tick = tick
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._over.clear()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Return when the function is not called any more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._over.wait(_EVERY):
            self._tick()


def mark() -> str:
    """Return the mark of this moment."""
    return _MARKS[int(monotonic() / _EVERY) % len(_MARKS)]


def passed(seconds: float) -> str:
    """Return a time that has passed: "42 s" or "3:05"."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
