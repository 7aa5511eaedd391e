"""Repair: put what a damaged library still holds into a new one, row by row. The damaged file is kept next to it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from readagent.library import search
from readagent.library.database import Row
from readagent.library.errors import busy, damaged, of_system
from readagent.library.file_state import connect, in_use, log_of
from readagent.library.migrate import steps
from readagent.library.shelves import Shelves
from readagent.library.sqlite import SQLiteDatabase
from readagent.library.upkeep.check import rows as damaged_rows

_TABLES = (
    "documents", "sources", "readings", "pages", "levels", "pinned", "calls", "questions", "answers", "vectors",
    "servers", "shelves", "shelf_documents", "cards", "card_vectors", "shelf_answers", "successors",
    "forgotten", "jobs", "corpora", "corpus_sources", "corpus_spending", "corpus_manifests",
)  # fmt: skip
_WITHOUT_ROW_IDS = ("shelf_documents", "successors", "forgotten")
_UNREADABLE = (sqlite3.Error, OverflowError, UnicodeDecodeError)
_MOST_TRIED = 200_000  # rows of a table that are tried one by one
_TRIED_BLINDLY = 10_000  # row ids that are tried in a table whose end cannot be read


def copy_rows(source: sqlite3.Connection, target: SQLiteDatabase) -> int:
    """Copy the tables of a damaged database into a new one, and return how many rows could not be read."""
    lost = 0
    source.text_factory = lambda data: data.decode("utf-8", "replace")
    target.rows("PRAGMA foreign_keys = OFF")
    with target.transaction():
        there = {name for (name,) in target.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for table in _TABLES:
            if table in there or (table == "pinned" and "fixed" in there):
                lost += _copy("fixed" if table not in there else table, source, target)
    return lost


def _copy(table: str, source: sqlite3.Connection, target: SQLiteDatabase) -> int:
    columns = [name for _, name, *_ in target.rows(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" * len(columns))
    reader = _Reader(source, table, ", ".join(columns))
    target.many(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", reader)
    return reader.lost


class _Reader:
    """The rows of a table that can be read; ``lost`` counts the others, as far as they are known."""

    def __init__(self, source: sqlite3.Connection, table: str, columns: str) -> None:
        self._source, self._table, self._columns = source, table, columns
        self._has_ids = table not in _WITHOUT_ROW_IDS
        self._failed = False
        self.lost = 0

    def __iter__(self) -> Iterator[Row]:
        last = None
        for number, *row in self._scan("ASC"):
            last = number
            yield tuple(row)
        if not self._failed:
            return
        self.lost += 1
        if not self._has_ids:
            return
        first = None
        for number, *row in self._scan("DESC"):
            if last is not None and number <= last:
                break
            first = number
            yield tuple(row)
        yield from self._between(last, first)

    def _scan(self, order: str) -> Iterator[Row]:
        """Yield rows, each after its row id, until one cannot be read."""
        self._failed = False
        ordered = f"ORDER BY rowid {order}" if self._has_ids else ""
        number = "rowid" if self._has_ids else "0"
        try:
            with closing(
                self._source.execute(f"SELECT {number}, {self._columns} FROM {self._table} {ordered}")
            ) as rows:
                yield from rows
        except _UNREADABLE:
            self._failed = True

    def _between(self, last: int | None, first: int | None) -> Iterator[Row]:
        """Yield the rows between the last one read forwards and the last one read backwards, each looked up alone."""
        highest = first if first is not None else self._highest()
        start, end = (last or 0) + 1, _TRIED_BLINDLY if highest is None else highest
        for number in range(start, min(end, start + _MOST_TRIED)):
            try:
                row = self._source.execute(
                    f"SELECT {self._columns} FROM {self._table} WHERE rowid = ?", (number,)
                ).fetchone()
            except _UNREADABLE:
                self.lost += highest is not None  # nobody knows whether there was such a row otherwise
                continue
            if row is not None:
                yield row

    def _highest(self) -> int | None:
        """Return the end of the row ids; None if the end of the table cannot be read."""
        try:
            (highest,) = self._source.execute(f"SELECT max(rowid) FROM {self._table}").fetchone()
        except _UNREADABLE:
            return None
        return int(highest or 0) + 1


_PAGE, _HEADER = 4096, 100  # bytes
_INTERIOR = 5  # a page that points to others
_COUNTED = {"documents": "documents", "readings": "readings", "calls": "replies", "answers": "answers"}


@dataclass(frozen=True, slots=True)
class Repair:
    """What was saved of each kind, how many rows were damaged and left out, and where the damaged file is now."""

    saved: Mapping[str, int]
    left_out: int
    damaged_file: str


def repair(path: Path) -> Repair:
    """Replace a damaged library by a new one with everything in it that can be read and is intact.

    Raise BusyLibraryError if another process uses it, and DamagedLibraryError if nothing can be read; then the file
    stays as it is.
    """
    if sys.platform != "win32" and in_use(Path(f"{path}-shm")):
        raise busy(path)
    try:
        with tempfile.TemporaryDirectory(prefix=".repair-", dir=path.parent) as folder:
            new = Path(folder) / "new.db"
            left_out = _salvage(path, Path(folder), new)
            saved, dropped = _tidy(new)
            kept = _keep(path)
            os.replace(new, path)
    except OSError as error:
        raise of_system(error, path) from error
    return Repair(saved, left_out + dropped, str(kept))


def _salvage(path: Path, folder: Path, new: Path) -> int:
    """Copy the rows that can be read to a new library of the same version; return how many could not be read."""
    for attempt, mend in enumerate((_as_it_is, _with_new_header, _with_new_schema)):
        copy = folder / f"copy-{attempt}.db"
        shutil.copyfile(path, copy)
        if log_of(path).exists():
            shutil.copyfile(log_of(path), log_of(copy))
        mend(copy)
        with closing(connect(copy, "rw", 0)) as source:
            version = _version(source)
            if version is not None:
                new.unlink(missing_ok=True)
                target = SQLiteDatabase(new, all_steps=steps()[:version])
                try:
                    lost = copy_rows(source, target)
                    if target.row("SELECT 1 FROM documents UNION ALL SELECT 1 FROM calls") or not (attempt or lost):
                        return lost
                finally:
                    target.close()
    raise damaged(path, "nothing in it can be read")


def _version(source: sqlite3.Connection) -> int | None:
    """Return the version of a library whose tables can be found; None if they cannot."""
    with suppress(sqlite3.DatabaseError, UnicodeDecodeError):
        source.execute("PRAGMA writable_schema = ON")  # SQLite then also opens files that are cut off
        (version,) = source.execute("PRAGMA user_version").fetchone()
        names = {name for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if {"documents", "calls"} <= names and 1 <= version <= len(steps()):
            return int(version)
    return None


def _as_it_is(copy: Path) -> None:
    """Change nothing."""


def _with_new_header(copy: Path) -> None:
    """Give the copy the header of a new library, which says nothing about its content but its version."""
    _overwrite(copy, header_only=True)


def _with_new_schema(copy: Path) -> None:
    """Give the copy the schema of a new library: its tables begin at the same places if it was never compacted."""
    _overwrite(copy, header_only=False)


def _overwrite(copy: Path, *, header_only: bool) -> None:
    log_of(copy).unlink(missing_ok=True)
    model = copy.with_name("model.db")
    database = SQLiteDatabase(model)
    database.rows("SELECT 1")
    database.close()
    new = bytearray(model.read_bytes())
    model.unlink()
    pages = max(copy.stat().st_size, len(new)) // _PAGE
    new[28:32] = pages.to_bytes(4, "big")
    new[32:40] = bytes(8)  # no list of free pages
    with copy.open("r+b") as file:
        file.truncate(pages * _PAGE)
        if header_only:
            file.write(new[:_HEADER])
            return
        for number in _schema_pages(new):
            file.seek((number - 1) * _PAGE)
            file.write(new[(number - 1) * _PAGE : number * _PAGE])


def _schema_pages(data: bytearray) -> list[int]:
    """Return the pages of a new library that describe its tables: the first, and those that it points to."""
    if data[_HEADER] != _INTERIOR:
        return [1]
    cells = [int.from_bytes(data[at : at + 2], "big") for at in range(112, 112 + 2 * data[104], 2)]
    return [1, *(int.from_bytes(data[at : at + 4], "big") for at in (108, *cells))]


def _tidy(new: Path) -> tuple[dict[str, int], int]:
    """Bring the new library up to date, drop what is damaged or belongs to nothing, and build its search index."""
    db = SQLiteDatabase(new)
    broken = [problem for problem in damaged_rows(db) if problem.table]
    dropped = len(broken)
    with db.transaction():
        for problem in broken:
            column = {"cards": "reading"}.get(problem.table, "rowid")
            db.rows(f"DELETE FROM {problem.table} WHERE {column} = ?", problem.row)
        while orphans := db.rows("PRAGMA foreign_key_check"):
            for table, row, *_ in orphans:
                if row is None:  # a table without row ids
                    db.rows(f"DELETE FROM {table}")
                else:
                    db.rows(f"DELETE FROM {table} WHERE rowid = ?", row)
            dropped += len(orphans)
        for (name,) in db.rows("SELECT id FROM documents"):
            search.reindex(db, name)
        Shelves(db, str).reindex_cards()
        saved = {kind: int(db.rows(f"SELECT count(*) FROM {table}")[0][0]) for table, kind in _COUNTED.items()}
    db.close()
    return saved, dropped


def _keep(path: Path) -> Path:
    """Give the damaged file a second name that is not in use, move its log there, and return that name."""
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    try:
        os.link(path, kept)
    except OSError:  # not every file system has links
        shutil.copyfile(path, kept)
    if log_of(path).exists():
        os.replace(log_of(path), log_of(kept))
    Path(f"{path}-shm").unlink(missing_ok=True)
    return kept
