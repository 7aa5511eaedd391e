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
from readagent.library.database import Database, Row, insisting

LIFETIME = 30.0  # seconds without renewal after which a lease is over

_TAKE = (
    "INSERT INTO leases (key, owner, process, machine, expires) SELECT ?, ?, ?, ?, {until} WHERE {where}"
    " ON CONFLICT (key) "
)
_OVER = (
    "DO UPDATE SET owner = excluded.owner, process = excluded.process, machine = excluded.machine,"
    " expires = excluded.expires"
)
_OWN = "DO UPDATE SET expires = excluded.expires WHERE leases.owner = excluded.owner RETURNING key"


@insisting
class Leases:
    """The leases that this process takes in a library. They end by the clock of the database, or by ``clock``."""

    def __init__(self, db: Database, *, clock: Callable[[], float] | None = None) -> None:
        self._db, self._clock = db, clock
        self._owners: dict[str, str] = {}  # of each lease that was taken: a new one each time
        self._machine = _machine()

    def take(self, key: str) -> bool:
        """Take the lease of a call; return False if another process is making the call."""
        owner = secrets.token_hex(8)
        taken = self._db.insist(lambda: self._take(key, owner))  # a lease that was taken without an answer is known
        if taken:
            self._owners[key] = owner
        return taken

    def _take(self, key: str, owner: str) -> bool:
        if self._insert(key, owner, _OWN, self._db.unsynced):  # the usual case
            return True
        if self.is_taken(key):
            return False
        with self._db.transaction(f"lease {key}"):
            if self.is_taken(key):
                return False
            self._db.rows(f"DELETE FROM leases WHERE expires < {self.now}")
            self._insert(key, owner, _OVER, "1 = 1")
            return True

    def seize(self, key: str) -> bool:
        """Take a lease within a transaction that keeps others from taking it; return False if someone has it."""
        if self.is_taken(key):
            return False
        self._owners[key] = secrets.token_hex(8)
        self._insert(key, self._owners[key], _OVER, "1 = 1")
        return True

    def _insert(self, key: str, owner: str, or_else: str, where: str) -> list[Row]:
        sql = _TAKE.format(until=self._until, where=where) + or_else
        return self._db.rows(sql, key, owner, os.getpid(), self._machine)

    @property
    def now(self) -> str:
        """The time in seconds, as an expression: the database tells it, since the clocks of machines differ."""
        return self._db.epoch if self._clock is None else repr(self._clock())

    @property
    def _until(self) -> str:
        return f"{self.now} + {LIFETIME}"

    def renew(self, key: str) -> bool:
        """Extend a lease that is ours; return False if it is no longer, because it was not renewed in time."""
        ours = f"SET expires = {self._until} WHERE key = ? AND owner = ? AND {self._db.unsynced}"
        return bool(self._db.rows(f"UPDATE leases {ours} RETURNING key", key, self._owners.get(key, "")))

    def release(self, key: str) -> None:
        """End a lease that is ours. If the library cannot be written, it ends with this process."""
        with suppress(LibraryError):
            ours = f"DELETE FROM leases WHERE key = ? AND owner = ? AND {self._db.unsynced}"
            self._db.rows(ours, key, self._owners.pop(key, ""))

    def is_taken(self, key: str) -> bool:
        """Return whether some process has this lease."""
        row = self._db.row(f"SELECT process, machine, expires - {self.now} FROM leases WHERE key = ?", key)
        return row is not None and self.is_alive(*row)

    def is_alive(self, process: int, machine: str, left: float) -> bool:
        """Return whether a lease holds that a process has taken, and that ends in so many seconds."""
        return left > 0 and (machine != self._machine or _is_running(process))


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
