"""Look at a library's file before it is used, without changing it: is it one, is it current, is its log complete?"""

from __future__ import annotations

import os
import sqlite3
import struct
import sys
import time
from array import array
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from readagent.library import sums
from readagent.library.errors import damaged, is_busy, is_unwritable, lost_log, name_of, not_a_library
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


_INDEXES = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"


def examine(connection: sqlite3.Connection, path: Path) -> None:
    """Raise, and close the connection, if SQLite finds that tables, indexes or full-text indexes are damaged."""
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise damaged(path, one_line(found))
        for (index,) in connection.execute(_INDEXES).fetchall():
            _examine_index(connection, index)
    except BaseException:
        with suppress(sqlite3.Error):  # closing merges the log, which then is not missing
            connection.execute("UPDATE state SET open = 0")
        connection.close()
        raise


def _examine_index(connection: sqlite3.Connection, index: str) -> None:
    """Compare a full-text index with the texts in it. SQLite counts that as writing, which is not always possible."""
    try:
        connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
    except sqlite3.OperationalError as error:
        if not is_busy(error) and not is_unwritable(error):
            raise


def one_line(found: object) -> str:
    """Return something that SQLite found as one line."""
    return " ".join(str(found).split()).replace("*** in database main *** ", "")


_HEADER, _FRAME = 32, 24  # bytes
_IN_USE = 128  # the byte of the index that every process locks which has the library open
_MASK = 0xFFFFFFFF


def is_damaged(path: Path) -> bool:
    """Return whether the log of a library is damaged. Call it only if this process does not have the library open."""
    log, index = Path(f"{path}-wal"), Path(f"{path}-shm")
    try:
        if not log.stat().st_size or log.stat().st_mtime < _started() or in_use(index):
            return False
        data = log.read_bytes()
        counted = _frames_counted(index, data[16:24])
    except OSError:
        return False
    valid, committed = _frames(data)
    return max(committed, counted) > valid and not in_use(index)


def _started() -> float:
    """Return when the machine was started, in seconds since 1970; 0 where that is unknown."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if clock is None else time.time() - time.clock_gettime(clock)


def in_use(index: Path) -> bool:
    """Return whether another process has the library with this index open for writing.

    Call it only if this process does not have it open: closing the index here would release the locks it has.
    """
    if sys.platform == "win32":
        return True  # locks work differently there: better no answer than a wrong one
    import fcntl

    try:
        descriptor = os.open(index, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _IN_USE)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _frames_counted(index: Path, salt: bytes) -> int:
    """Return how many frames the index counted in a log with this salt; 0 if it belongs to another one."""
    with suppress(FileNotFoundError):
        head = index.read_bytes()[:96]
        if len(head) == 96 and head[:48] == head[48:] and head[12] and head[32:40].startswith(salt):
            return int(struct.unpack("=I", head[16:20])[0])
    return 0


def _frames(data: bytes) -> tuple[int, int]:
    """Return the number of frames up to the last commit that SQLite reads, and up to the last commit that is there."""
    if len(data) <= _HEADER:
        return 0, 0
    magic, _, page = struct.unpack(">III", data[:12])
    size = _FRAME + page
    if not 512 <= page <= 65536:
        return 0, 1
    foreign = bool(magic & 1) != (sys.byteorder == "big")
    sums = _checksum(data[:24], (0, 0), foreign)
    intact = sums == struct.unpack(">II", data[24:32])
    valid = committed = 0
    for number in range((len(data) - _HEADER) // size):
        at = _HEADER + number * size
        if data[at + 8 : at + 16] != data[16:24]:
            intact = False  # left from an earlier log, or damaged
            continue
        if intact:
            sums = _checksum(data[at : at + 8], sums, foreign)
            sums = _checksum(data[at + _FRAME : at + size], sums, foreign)
            intact = sums == struct.unpack(">II", data[at + 16 : at + 24])
        if data[at + 4 : at + 8] != bytes(4):
            committed = number + 1
            valid = committed if intact else valid
    return valid, committed


def _checksum(data: bytes, start: tuple[int, int], foreign: bool) -> tuple[int, int]:
    """Return SQLite's checksum of some data, continued from another one."""
    words = array("I", data)
    if foreign:
        words.byteswap()
    first, second = start
    pairs = iter(words)
    for one, two in zip(pairs, pairs, strict=True):
        first = (first + one + second) & _MASK
        second = (second + two + first) & _MASK
    return first, second
