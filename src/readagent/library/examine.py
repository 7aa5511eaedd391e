"""Examine a file that has no valid checksum: its last process was killed, or another program has written to it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

from readagent.library.errors import damaged, is_busy, is_unwritable

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
