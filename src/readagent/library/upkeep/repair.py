"""Repair: put what a damaged file still holds into a new one, row by row, and mend what does not fit together.

The damaged file is kept next to the new one. A library on a server is mended where it is.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from readagent.library.database import Database, Row
from readagent.library.errors import busy, damaged, is_busy, of_system
from readagent.library.migrate import is_current, steps
from readagent.library.own_files import BESIDE, connect
from readagent.library.sqlite import SQLiteDatabase
from readagent.library.upkeep.check import Problem
from readagent.library.upkeep.check import rows as damaged_rows
from readagent.library.upkeep.invariants import mend, shorten

_UNREADABLE = (sqlite3.Error, OverflowError, UnicodeDecodeError)
_NOT_COPIED = ("page_words", "card_words", "state", "sums", "leases", "sqlite_")  # the index is built anew
_MOST_TRIED = 100_000  # row ids without a row that can be read, after which a table ends
_MOST_GUESSED = 1000  # the same where the highest id cannot be read
_NOTHING = "restore your backup; or move the file away, and read your documents again"
_COUNTED = {"documents": "documents", "readings": "readings", "calls": "replies", "answers": "answers"}


@dataclass(frozen=True, slots=True)
class Repair:
    """What was saved of each kind, how many rows were damaged and left out, and where the damaged file is now.

    ``mended`` says which rows did not fit to others and do now, and how many. On a server nothing is left out or moved.
    """

    saved: Mapping[str, int]
    left_out: int
    damaged_file: str
    mended: Mapping[str, int]


def repair(path: Path) -> Repair:
    """Replace a damaged library by a new one with everything in it that can be read and is intact.

    Raise LibraryError if another process uses it, if it is newer or of another program, and if nothing can be read;
    then the file stays as it is.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=".repair-", dir=path.parent) as folder:
            kept, copy, new = (Path(folder) / name for name in ("kept.db", "copy.db", "new.db"))
            _copy_files(path, kept)  # before SQLite, which merges a log, has opened it
            _check_unused(path)
            _copy_files(kept, copy)
            left_out = _salvage(path, copy, new)
            saved, dropped, mended = _tidy(new)
            damaged_file = _free_name(path)
            _copy_files(kept, damaged_file)
            for suffix in BESIDE:  # they would be applied to the new file
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            os.replace(new, path)
    except OSError as error:
        raise of_system(error, path) from error
    return Repair(saved, left_out + dropped, str(damaged_file), mended)


def _copy_files(path: Path, to: Path) -> None:
    """Copy a database with its log or journal."""
    for suffix in ("", "-wal", "-journal"):
        if Path(f"{path}{suffix}").exists():
            shutil.copy(f"{path}{suffix}", f"{to}{suffix}")


def _check_unused(path: Path) -> None:
    """Raise BusyLibraryError if another process uses the library."""
    with closing(connect(path, 0)) as connection:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.rollback()
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise busy(path) from error
            # It is damaged so much that no one can open it.


def _salvage(path: Path, copy: Path, new: Path) -> int:
    """Copy the rows that can be read to a new library of the same version; return how many could not be read."""
    with closing(connect(copy, 0)) as source:
        try:
            source.execute("PRAGMA writable_schema = ON")  # SQLite then also opens files that are cut off
            is_current(source, path, len(steps()))
            (version,) = source.execute("PRAGMA user_version").fetchone()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise damaged(path, "nothing in it can be read", _NOTHING) from error
        target = SQLiteDatabase(new, all_steps=steps()[:version])
        try:
            lost = _copy_rows(source, target)
            if lost and not target.row("SELECT 1 FROM documents UNION ALL SELECT 1 FROM calls"):
                raise damaged(path, "nothing in it can be read", _NOTHING)
        finally:
            target.close()
    return lost


def _copy_rows(source: sqlite3.Connection, target: SQLiteDatabase) -> int:
    """Copy the tables of a damaged database into a new one, and return how many rows, at least, could not be read."""
    lost = 0
    source.text_factory = lambda data: data.decode("utf-8", "replace")
    target.rows("PRAGMA foreign_keys = OFF")
    there = {name for (name,) in source.execute("SELECT name FROM sqlite_master")}
    with target.transaction():
        for name, sql in target.rows("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
            if name.startswith(_NOT_COPIED):
                continue
            if name not in there:
                lost += 1
                continue
            columns = [column for _, column, *_ in target.rows(f"PRAGMA table_info({name})")]
            reader = _Reader(source, name, ", ".join(columns), has_ids="WITHOUT ROWID" not in sql)
            marks = ", ".join("?" * len(columns))
            target.many(f"INSERT OR IGNORE INTO {name} ({', '.join(columns)}) VALUES ({marks})", reader)
            lost += reader.lost
    return lost


class _Reader:
    """The rows of a table that can be read; ``lost`` counts the others, as far as they are known."""

    def __init__(self, source: sqlite3.Connection, table: str, columns: str, *, has_ids: bool) -> None:
        self._source = source
        self._has_ids = has_ids
        number, order = ("rowid", "ORDER BY rowid") if has_ids else ("0", "")
        self._sql = f"SELECT {number}, {columns} FROM {table} WHERE {number} > ? {order}"
        self._last_id = f"SELECT max({number}) FROM {table}"
        self.lost = 0

    def __iter__(self) -> Iterator[Row]:
        """Yield rows. After one that cannot be read, go on behind its id, and behind the next one, until one can."""
        last, failed, end = -1, 0, self._end()
        while failed < _MOST_GUESSED if end is None else last < end and failed < _MOST_TRIED:
            try:
                with closing(self._source.execute(self._sql, (last,))) as found:
                    for number, *row in found:
                        last, failed = number, 0
                        yield tuple(row)
                return
            except _UNREADABLE:
                self.lost += not failed
                failed += 1
                last += 1
                if not self._has_ids:
                    return

    def _end(self) -> int | None:
        """Return the highest row id; None if it cannot be read."""
        try:
            return int(self._source.execute(self._last_id).fetchone()[0] or 0)
        except _UNREADABLE:
            return None


def _tidy(new: Path) -> tuple[dict[str, int], int, dict[str, int]]:
    """Bring the new library up to date, drop what is damaged, mend the rest, and build its search index."""
    db = SQLiteDatabase(new)
    damaged_now = list(damaged_rows(db))
    with db.transaction():
        continued, broken = _shortened(db, damaged_now)
        for problem in broken:
            if problem.table is not None:
                marks = ", ".join("?" * problem.table.width)
                db.rows(f"DELETE FROM {problem.table.name} WHERE ({problem.table.key}) = ({marks})", *problem.key)
        mended = continued | mend(db)
        saved = {kind: int(db.rows(f"SELECT count(*) FROM {table}")[0][0]) for table, kind in _COUNTED.items()}
    db.close()
    return saved, len(broken), mended


def _shortened(db: Database, problems: Sequence[Problem]) -> tuple[dict[str, int], list[Problem]]:
    """Let damaged readings be continued from their pages; return the number of these, and what else is damaged."""
    left, continued = [], 0
    for problem in problems:
        if problem.kind == "reading" and shorten(db, problem.key[0]):
            continued += 1
        else:
            left.append(problem)
    return {"readings with damaged pages": continued} if continued else {}, left


def repair_rows(db: Database) -> Repair:
    """Mend what breaks an invariant in a library on a server, and leave alone what is damaged otherwise."""
    with db.transaction():
        continued, _ = _shortened(db, list(damaged_rows(db)))
        mended = continued | mend(db)
    db.insist(db.renumber)
    return Repair({}, 0, "", mended)


def _free_name(path: Path) -> Path:
    """Return a name for the damaged file that is not in use."""
    number = 1
    while (name := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return name
