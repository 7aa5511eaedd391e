"""Catalogue: the rows of all documents, listed once for all requests until something in the library changes."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from readagent.library import DocumentRow, Library


class Catalogue:
    """Holds the rows of a library. The library says with a mark, which takes a millisecond, whether they are old."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._rows: tuple[str, Sequence[DocumentRow]] = "", ()
        self._told, self._renamed = "", 0

    def rows(self) -> Sequence[DocumentRow]:
        """Return the rows, oldest first."""
        with self._lock:
            mark = self._mark()
            if mark != self._rows[0]:
                self._rows = mark, tuple(self._library.documents())
            return self._rows[1]

    def renamed(self) -> None:
        """Take note that a document has another title or other tags, which the library has no mark for."""
        with self._lock:
            self._renamed += 1

    def has_changed(self) -> bool:
        """Return whether something has changed since the last call."""
        with self._lock:
            before, self._told = self._told, self._mark()
            return self._told != before

    def _mark(self) -> str:
        return f"{self._library.mark()} {self._renamed}"
