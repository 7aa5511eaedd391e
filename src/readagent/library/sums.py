"""The checksum of a closed library: it tells damage anywhere in the file, also where SQLite would find nothing.

SQLite does not notice a page that was replaced by another one: rows are missing or different, without an error. So the
last process that closes a library stores a checksum of the file in it, and the next one compares. Another program that
writes to the file changes the counter in its header; then the checksum says nothing.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

_HEADER = 100  # bytes
_AT_ONCE = 256  # pages
_COUNTER = slice(24, 28)
_CHANGING = (_COUNTER, slice(92, 100))  # parts of the header that every change of the file changes


@dataclass(frozen=True, slots=True)
class Sum:
    """A checksum of all pages but the one that it is stored in, and the change counter of the file it belongs to."""

    page: int
    counter: int
    value: int


def stored(connection: sqlite3.Connection) -> Sum | None:
    """Return the checksum that is stored in a library."""
    row = connection.execute(
        "SELECT rootpage, counter, value FROM sums, sqlite_master WHERE sqlite_master.name = 'sums'"
    ).fetchone()
    return None if row is None else Sum(*row)


def matches(path: Path, known: Sum | None) -> bool | None:
    """Return whether a file is what its checksum was made of; None if it has none, or was changed by another program.

    This process must not have the file open.
    """
    before = _state(path)
    if known is None or before is None or before[-1] != known.counter:
        return None
    if _sum(path, known.page) == known.value:
        return True
    return False if _state(path) == before else None


def store(path: Path) -> None:
    """Store the checksum of a closed file in it, if it can be written. This process must not have it open."""
    with suppress(sqlite3.Error, OSError):
        with closing(_connect(path)) as connection:
            row = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sums'").fetchone()
        before = _state(path)
        if row is None or before is None:
            return
        value = _sum(path, row[0])
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM sums")
            # If another process has changed the file since, its counter will be higher than this.
            connection.execute("INSERT INTO sums (counter, value) VALUES (?, ?)", (before[-1] + 1, value))
            connection.execute("COMMIT")


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None)


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return size, time and change counter of a file that no one is writing; None if someone is."""
    if any(Path(f"{path}{suffix}").exists() for suffix in ("-wal", "-journal")):
        return None
    with path.open("rb") as file:
        about, header = os.fstat(file.fileno()), file.read(_HEADER)
    return about.st_size, about.st_mtime_ns, int.from_bytes(header[_COUNTER], "big")


def _sum(path: Path, left_out: int) -> int:
    """Return the checksum of a file without the page of this number and the changing parts of the header."""
    total = 0
    with path.open("rb") as file:
        size = int.from_bytes(file.read(18)[16:18], "big")
        size = 65536 if size == 1 else max(size, 512)
        file.seek(0)
        first = 1  # number of the first page of a block
        while block := bytearray(file.read(size * _AT_ONCE)):
            if first == 1:
                for part in _CHANGING:
                    block[part] = bytes(part.stop - part.start)
            if first <= left_out < first + _AT_ONCE:
                at = (left_out - first) * size
                block[at : at + size] = bytes(len(block[at : at + size]))
            total = zlib.crc32(block, total)
            first += _AT_ONCE
    return total
