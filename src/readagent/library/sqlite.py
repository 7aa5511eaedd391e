"""Database: an SQLite connection that threads can share, and that raises ``LibraryError`` instead of sqlite3's errors.

A file is inspected read-only first. If it is damaged, newer, or belongs to another program, it is not changed.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from readagent.errors import BusyLibraryError, FullDiskError, LibraryError
from readagent.library.migrate import APPLICATION_ID, check, migrate, not_a_library, steps

MEMORY = Path(":memory:")  # SQLite's own name for a database in memory

_MAGIC = b"SQLite format 3\x00"
_FULL = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")

Row = tuple[Any, ...]


class Database:
    """A connection that opens when it is first used; threads take turns.

    A database at ``MEMORY`` lives as long as its connection: closing it, or dropping the last reference, discards it.
    """

    def __init__(self, path: Path, *, busy_timeout: float = 30.0, all_steps: Sequence[str] | None = None) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()
        self._busy_timeout = busy_timeout
        self._steps = steps() if all_steps is None else all_steps

    def __del__(self) -> None:
        self.close()  # everything is committed; from 3.13 on Python would warn that the connection is still open

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows; outside a transaction it is committed when this returns."""
        with self._lock, self._translating():
            return self._opened().execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run one statement for each of the values. Call it in a transaction."""
        with self._lock, self._translating():
            self._opened().executemany(sql, values)

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[None]:
        """Commit everything in the block, or nothing; with ``write=False``, read from one snapshot."""
        with self._lock:
            with self._translating():
                connection = self._opened()
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                yield
                with self._translating():
                    connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # the first error is the one to report; some have rolled back already
                    connection.rollback()
                raise

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            current = self.path != MEMORY and self._current()
            self._connection = self._connect("rwc")
            try:
                self._prepare(self._connection, current)
            except BaseException:
                self.close()
                raise
        return self._connection

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = str(MEMORY) if self.path == MEMORY else f"{self.path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(
            address, uri=True, timeout=self._busy_timeout, isolation_level=None, check_same_thread=False
        )

    def _current(self) -> bool:
        """Return whether the file is an up-to-date library; raise, without changing it, if it cannot become one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self.path.open("rb") as file:
                header = file.read(100)
        except FileNotFoundError:
            return False
        if not header:
            return False
        if len(header) < 100 or not header.startswith(_MAGIC):
            raise not_a_library(self.path)
        application_id, version, tables = self._marks(header)
        check(self.path, application_id, version, tables, len(self._steps))
        return application_id == APPLICATION_ID and version == len(self._steps)

    def _marks(self, header: bytes) -> tuple[int, int, int]:
        """Return application id, version and number of tables, through a read-only connection."""
        with closing(self._connect("ro")) as connection:
            try:
                connection.execute("BEGIN")  # one snapshot, while another process may be creating the library
                (application_id,) = connection.execute("PRAGMA application_id").fetchone()
                (version,) = connection.execute("PRAGMA user_version").fetchone()
                (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_READONLY_ROLLBACK":
                    raise
                # A process died while writing; opening will undo that. The header tells whose file it is.
                return int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big"), 0
        return application_id, version, tables

    def _prepare(self, connection: sqlite3.Connection, current: bool) -> None:
        self._write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if not current:
            migrate(connection, self._steps)

    def _write_ahead(self, connection: sqlite3.Connection) -> None:
        """Switch to WAL. SQLite does not wait when two processes switch a new file at once, so retry here."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not _name_of(error).startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
            time.sleep(0.005)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.DatabaseError as error:
            raise self._translated(error) from error
        except OSError as error:
            raise self._system(error) from error

    def _translated(self, error: sqlite3.DatabaseError) -> LibraryError:
        name = _name_of(error)
        if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            return not_a_library(self.path)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return BusyLibraryError(f"{self.path} is in use by another process", hint="try again when it has finished")
        if name in _FULL:
            return self._full()
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            return LibraryError(f"cannot open {self.path} for writing", hint="check its permissions")
        return LibraryError(f"{self.path}: {error}")

    def _system(self, error: OSError) -> LibraryError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return self._full()
        reason = (error.strerror or str(error)).lower()
        return LibraryError(
            f"cannot open {self.path}: {reason}", hint="set READAGENT_HOME to keep the library in another folder"
        )

    def _full(self) -> FullDiskError:
        return FullDiskError(
            f"no space left for {self.path}", hint="free some space and run the same command again; nothing is lost"
        )


def _name_of(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "")
