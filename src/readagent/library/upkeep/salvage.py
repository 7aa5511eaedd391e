"""Copy the rows of a damaged database, as many as can be read: forwards, backwards, and one by one in between."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from readagent.library.database import Row
from readagent.library.sqlite import SQLiteDatabase

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
