"""Leases: which process is making which call now, so that others wait for the reply instead of paying for it again.

Jobs are claimed with leases, too, and so are the sources of corpora.

A lease ends when it is released, when it is not renewed for a while, or when its process is gone. A server of a library
that crashes may forget the leases of its last second: then a call that is in flight is made again.
"""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Callable
from contextlib import suppress

from readagent.errors import LibraryError
from readagent.library.database import Database, insisting

LIFETIME = 30.0  # seconds without renewal after which a lease is over

_TAKE = "INSERT INTO leases (key, owner, process, machine, expires) SELECT ?, ?, ?, ?, ? WHERE {} ON CONFLICT (key)"
_OVER = (
    "DO UPDATE SET owner = excluded.owner, process = excluded.process, machine = excluded.machine,"
    " expires = excluded.expires"
)


@insisting
class Leases:
    """The leases that this process takes in a library. ``clock`` tells the time of day in seconds, as others see it."""

    def __init__(self, db: Database, *, clock: Callable[[], float] | None = None) -> None:
        self._db, self._clock = db, clock or db.clock
        self._owner, self._machine = secrets.token_hex(8), _machine()

    def take(self, key: str) -> bool:
        """Take the lease of a call; return False if another process is making the call."""
        take = f"{_TAKE} DO NOTHING RETURNING key".format(self._db.unsynced)
        if self._db.rows(take, *self._lease(key)):  # the usual case
            return True
        if self.is_taken(key):
            return False
        with self._db.transaction(f"lease {key}"):
            if self.is_taken(key):
                return False
            self._db.rows("DELETE FROM leases WHERE expires < ?", self._clock())
            self._take_over(key)
            return True

    def seize(self, key: str) -> bool:
        """Take a lease within a transaction that keeps others from taking it; return False if someone has it."""
        if self.is_taken(key):
            return False
        self._take_over(key)
        return True

    def _take_over(self, key: str) -> None:
        self._db.rows(f"{_TAKE} {_OVER}".format("1 = 1"), *self._lease(key))

    def _lease(self, key: str) -> tuple[str, str, int, str, float]:
        return key, self._owner, os.getpid(), self._machine, self._clock() + LIFETIME

    def renew(self, key: str) -> bool:
        """Extend a lease that is ours; return False if it is no longer, because it was not renewed in time."""
        until = self._clock() + LIFETIME
        ours = f"UPDATE leases SET expires = ? WHERE key = ? AND owner = ? AND {self._db.unsynced} RETURNING key"
        return bool(self._db.rows(ours, until, key, self._owner))

    def release(self, key: str) -> None:
        """End a lease that is ours. If the library cannot be written, it ends with this process."""
        with suppress(LibraryError):
            ours = f"DELETE FROM leases WHERE key = ? AND owner = ? AND {self._db.unsynced}"
            self._db.rows(ours, key, self._owner)

    def is_taken(self, key: str) -> bool:
        """Return whether some process has this lease."""
        row = self._db.row("SELECT process, machine, expires FROM leases WHERE key = ?", key)
        if row is None:
            return False
        process, machine, expires = row
        return bool(expires > self._clock() and (machine != self._machine or _is_running(process)))


def _machine() -> str:
    """Return a name for the machine, or the container, in which a process has its number."""
    with suppress(OSError):
        return f"{platform.node()} {os.stat('/proc/self/ns/pid').st_ino}"
    return platform.node()


def _is_running(process: int) -> bool:
    if os.name == "nt":
        return True  # a signal 0 would end it there; the lease expires
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
