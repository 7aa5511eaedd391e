"""Look at a library's file before it is used, without changing it: is it one, is it current, is its log there?

A library that is open for writing has a write-ahead log, ``library.db-wal``, and the table ``state`` in the file says
so. A process that closes the library takes that back, and the last one merges the log. A file that says that it is
open, without a log, lacks the latest changes.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from readagent.library import sums
from readagent.library.errors import lost_log, name_of, not_a_library
from readagent.library.migrate import APPLICATION_ID

_SMALLEST = 512  # bytes of a database
_MAGIC = b"SQLite format 3\x00"
STATE_SINCE = 11  # the version from which on there is a table ``state``
SUMS_SINCE = 12  # the version from which on there is a table ``sums``
_CLOSING = 2.0  # seconds in which a process that is closing the library has merged the log


@dataclass(frozen=True, slots=True)
class Marks:
    """What a database says about itself.

    ``open`` is whether it says that the latest changes are in a log, ``sum`` the checksum of the file, if it has one.
    """

    application_id: int
    version: int
    tables: int
    open: bool
    sum: sums.Sum | None = None


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log."""
    return Path(f"{path}-wal")


def connect(path: Path, mode: str, busy_timeout: float) -> sqlite3.Connection:
    """Connect to a file; nothing is read or written yet."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=busy_timeout,
        isolation_level=None,
        check_same_thread=False,
    )


def inspect(path: Path, busy_timeout: float) -> Marks | None:
    """Return the marks of a file, or None for a file that is missing or empty; raise if it cannot be a library.

    The file is opened through SQLite only: closing a descriptor of our own would release the locks that other
    connections of this process have on the file.
    """
    deadline = time.monotonic() + _CLOSING
    while True:
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            return None
        if not size:
            return None
        if size < _SMALLEST:
            raise not_a_library(path)
        has_log = _has_log(path)
        marks = _marks(path, busy_timeout)
        if not marks.open or has_log:
            return marks
        if time.monotonic() > deadline:
            raise lost_log(path, "missing")
        time.sleep(0.01)  # another process may be creating or merging the log at this moment


def _has_log(path: Path) -> bool:
    """Whether the log has something in it: an empty one is what SQLite makes when it finds none."""
    with suppress(OSError):
        return log_of(path).stat().st_size > 0
    return False


def _marks(path: Path, busy_timeout: float) -> Marks:
    with closing(connect(path, "ro", busy_timeout)) as connection:
        try:
            connection.execute("BEGIN")  # one snapshot, while another process may be creating the library
            (application_id,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
            marked = application_id == APPLICATION_ID and version >= STATE_SINCE and journal == "wal"
            is_open = marked and (1,) in connection.execute("SELECT open FROM state")
            has_sum = application_id == APPLICATION_ID and version >= SUMS_SINCE and journal != "wal"
            known = sums.stored(connection) if has_sum else None
        except sqlite3.OperationalError as error:
            if name_of(error) != "SQLITE_READONLY_ROLLBACK":
                raise
            return _marks_in_header(path)  # a process died while writing; opening the file will undo that
    return Marks(application_id, version, tables, is_open, known)


def _marks_in_header(path: Path) -> Marks:
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise not_a_library(path)
    return Marks(int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big"), 0, False)


def make_private(path: Path) -> None:
    """Create the file if there is none, and let nobody but its owner read it or the files next to it."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    for file in (path, log_of(path), Path(f"{path}-shm"), Path(f"{path}-journal")):
        with suppress(OSError):  # missing, or another user's
            mode = file.stat().st_mode & 0o777
            if mode & 0o077:
                file.chmod(mode & 0o700)
