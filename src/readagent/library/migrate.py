"""Which databases are libraries, and how an older one is brought up to date: numbered SQL files, applied in order.

``PRAGMA application_id`` marks a file as a library, ``PRAGMA user_version`` counts the steps that were applied to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

from readagent.errors import NewerLibraryError
from readagent.library.errors import of_another_program

APPLICATION_ID = 0x52644167  # "RdAg"


@cache
def steps(kind: str = "") -> tuple[str, ...]:
    """Return the SQL of every step, in order: of SQLite, or of another ``kind`` of database, in a folder of its own."""
    folder = files("readagent.library").joinpath("sql", kind)
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def newer(place: object, version: int, newest: int) -> NewerLibraryError:
    """Return the error for a library that a newer version of this program has made."""
    return NewerLibraryError(
        f"{place} was written by a newer version of readagent (format {version}; this version knows up to {newest})",
        hint="upgrade readagent; nothing was changed",
    )


def is_current(connection: sqlite3.Connection, path: Path, newest: int) -> bool:
    """Return whether a database has all steps up to the ``newest``; False also for an empty one.

    Raise LibraryError for a database that belongs to another program, or to a newer version of this one.
    """
    connection.execute("BEGIN")  # one snapshot, while another process may be creating the library
    try:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        if connection.in_transaction:
            connection.rollback()
    if application_id != APPLICATION_ID and (application_id or tables):
        raise of_another_program(path)
    if version > newest:
        raise newer(path, version, newest)
    return bool(application_id == APPLICATION_ID and version == newest)


def migrate(connection: sqlite3.Connection, all_steps: Sequence[str]) -> None:
    """Apply the steps that this database lacks, all or none. Two processes may try at once: the second finds none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for script in all_steps[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {max(version, len(all_steps))}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # some errors have rolled back already
            connection.rollback()
        raise


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
