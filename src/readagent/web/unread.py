"""Search in the texts that were not read to their end, which have no pages in the index of the library.

The server has an index of its own for them, in a temporary file that is gone when it stops. A thread adds what is new;
whoever searches meanwhile is told how many texts are not in it yet.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence

from readagent.errors import NotInLibraryError
from readagent.library import Library
from readagent.library.fts5 import all_of
from readagent.library.search import indexed, shown, terms
from readagent.web.catalogue import Catalogue

Found = tuple[str, int, int, str]  # document, start and end of the passage, and a snippet with marks
_PASSAGE = 1_500  # characters, about
_ENDS = re.compile(r"\n\s*\n|[.!?…。！？]\s")
_WAIT = 0.3  # seconds for what was just added
_TABLES = """
PRAGMA journal_mode = OFF;
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2');
CREATE TABLE passages (id INTEGER PRIMARY KEY, document TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL);
CREATE INDEX of_document ON passages (document);
"""
_WHERE = "FROM words JOIN passages ON id = words.rowid WHERE words MATCH ? AND (? = '' OR document = ?)"


class Unread:
    """The index of the unread texts of a library."""

    def __init__(self, library: Library, catalogue: Catalogue) -> None:
        self._library, self._catalogue = library, catalogue
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._db.executescript(_TABLES)
        self._lock = threading.Lock()
        self._known = set[str]()
        self._adding: threading.Thread | None = None
        self._closed = False

    def close(self) -> None:
        """Stop adding, and discard the index."""
        self._closed = True
        if self._adding is not None:
            self._adding.join()
        self._db.close()

    def refresh(self) -> int:
        """Take out what was read or removed, and begin to add what is new; return how many texts are still missing."""
        wanted = {row.id for row in self._catalogue.rows() if row.state != "done" and not row.tasks}
        with self._lock:
            for name in self._known - wanted:  # its words stay, without a passage
                self._db.execute("DELETE FROM passages WHERE document = ?", (name,))
            self._known &= wanted
            missing = sorted(wanted - self._known)
            if missing and (self._adding is None or not self._adding.is_alive()):
                self._adding = threading.Thread(target=self._add, args=[missing], daemon=True)
                self._adding.start()
        if missing and self._adding is not None:
            self._adding.join(_WAIT)
        return len(wanted - self._known)

    def count(self, words: str, document: str) -> tuple[int, int]:
        """Return how many passages have all the words, and of how many documents they are."""
        sql = f"SELECT count(*), count(DISTINCT document) {_WHERE}"
        with self._lock:
            return tuple(self._db.execute(sql, (_query(words), document, document)).fetchone())

    def find(self, words: str, document: str, limit: int, offset: int, marks: Sequence[str]) -> list[Found]:
        """Return passages with all the words, best first."""
        columns = "document, start, stop, snippet(words, 0, ?, ?, '…', 24)"
        sql = f"SELECT {columns} {_WHERE} ORDER BY words.rank, words.rowid LIMIT ? OFFSET ?"
        values = (*marks, _query(words), document, document, limit, offset)
        with self._lock:
            return [(*row, shown(snippet)) for *row, snippet in self._db.execute(sql, values)]

    def _add(self, names: Sequence[str]) -> None:
        for name in names:
            if self._closed:
                return
            try:
                text = self._library.document(name).text
            except NotInLibraryError:  # removed meanwhile
                continue
            with self._lock:
                self._db.execute("BEGIN")
                for start, stop in _cut(text):
                    insert = "INSERT INTO passages (document, start, stop) VALUES (?, ?, ?)"
                    row = self._db.execute(insert, (name, start, stop)).lastrowid
                    self._db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (row, indexed(text[start:stop])))
                self._db.execute("COMMIT")
                self._known.add(name)


def _query(words: str) -> str:
    return all_of(terms(indexed(words)))


def _cut(text: str) -> Iterator[tuple[int, int]]:
    """Yield where passages begin and end: with a paragraph or a sentence, where there is one."""
    start = 0
    while start < len(text):
        end = next(
            (one.end() for one in _ENDS.finditer(text, start + _PASSAGE, start + 2 * _PASSAGE)), start + 2 * _PASSAGE
        )
        yield start, min(end, len(text))
        start = end
