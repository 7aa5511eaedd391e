"""The processor time that a file may take. The operating system ends the process that has used it up.

A clock on the wall would refuse a sound file on a busy machine. Windows has no such timer: there the parent's clock is
the limit.
"""

from __future__ import annotations

import signal
import sys

_MAX_MORE = 600.0  # seconds that a parser may add


def limit(seconds: float) -> None:
    """Let this process use so many more seconds of processor time; 0 removes the limit."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def add(seconds: float) -> None:
    """Let this process use more processor time, if it has a limit: a small file may have many pages."""
    if sys.platform != "win32" and (left := signal.getitimer(signal.ITIMER_PROF)[0]):
        signal.setitimer(signal.ITIMER_PROF, left + min(seconds, _MAX_MORE))


def was_used_up(exit_code: int) -> bool:
    """Return whether a process that ended with this code has used up its processor time."""
    return sys.platform != "win32" and exit_code == -signal.SIGPROF
