"""SIGTERM and SIGHUP end a command as Ctrl-C does: calls under way are finished and kept, child processes end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_INTERRUPTED = 128 + signal.SIGINT
_current: Signals | None = None


class Signals:
    """Which signal ended a command, for its exit code."""

    def __init__(self) -> None:
        self.code: int = _INTERRUPTED

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.code = 128 + number
        if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):  # started in the background of a script
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)


def is_ending() -> bool:
    """Whether a signal other than Ctrl-C has asked this process to end."""
    return _current is not None and _current.code != _INTERRUPTED


@contextmanager
def as_interrupts() -> Iterator[Signals]:
    """Treat SIGTERM and SIGHUP like Ctrl-C during the block. SIGHUP stays ignored where it is, as under nohup."""
    global _current
    signals, before = Signals(), dict[int, object]()
    _current = signals
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            before[number] = signal.signal(number, signals)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
