"""Database: what the library needs from SQLite or PostgreSQL. Nothing else in this package depends on which one it is.

SQL is written once, in the part that both understand, with ``?`` for values and ``x''`` for no bytes. Where they differ
in more than that, the database offers a method: full-text search is in its ``index``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

Row = tuple[Any, ...]
Ranked = tuple[str, int]  # a document, and the row of what was found of it
Statement = tuple[Any, ...]  # SQL and its values
MARKS = ("\x02", "\x03")  # around the words that were searched for, in a snippet
T = TypeVar("T")
_P = ParamSpec("_P")
_Class = TypeVar("_Class", bound=type)


def utc_now(clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> str:
    """Return the time as it is stored."""
    return clock().astimezone(UTC).isoformat(timespec="microseconds")


class TextIndex(Protocol):
    """The full-text index of a database: the words of pages and of the cards of documents."""

    def add_pages(self, entries: Iterable[tuple[int, str, str]]) -> None:
        """Add pages: each with the id of its row, its text, and its gist."""
        ...

    def replace_gist(self, page: int, gist: str) -> None:
        """Replace the gist of a page, if the page is in the index."""
        ...

    def stored(self, document_id: str) -> list[Row]:
        """Return what the index holds of the pages of a document, each as ``entry`` returns it, before its columns."""
        ...

    def entry(self, text: str, gist: str) -> Any:
        """Return what the index holds of a page with this text and gist."""
        ...

    def find(self, terms: Sequence[str], document_id: str | None, limit: int, offset: int = 0) -> list[Row]:
        """Return the pages with all terms, best first: document, task, a snippet, ``entry``, and the page's columns."""
        ...

    def count(self, terms: Sequence[str], document_id: str | None) -> Row:
        """Return how many entries have all terms, and of how many documents they are."""
        ...

    def snippet(self, found: str | None, terms: Sequence[str], text: str, gist: str) -> str:
        """Return the snippet of a page that was found, with ``MARKS`` around the terms."""
        ...

    def add_cards(self, entries: Iterable[tuple[int, str]]) -> None:
        """Add the texts of cards, each with the id of its reading."""
        ...

    def clear_cards(self) -> None:
        """Remove all cards."""
        ...

    def rank_cards(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        """Return the documents on a shelf whose cards contain any of the words, and the readings, best card first."""
        ...

    def rank_pages(self, words: Sequence[str], shelf: int, up_to: Mapping[str, int], limit: int) -> list[Ranked]:
        """Return the documents on a shelf whose pages contain any of the words, and the pages, best page first."""
        ...

    def size(self) -> int:
        """Return the bytes that the index takes."""
        ...


class Database(Protocol):
    """One library's tables. Threads may share it."""

    name: str  # where it is, for messages: a path, or a URL without a password
    index: TextIndex
    now: Callable[[], str]  # the time as it is stored
    json_list: str  # a subquery that returns the strings in a JSON list, which is its only value
    skip_locked: str  # makes a SELECT lock its rows and skip those that others have locked; "" where writers take turns
    # A condition that holds. A statement with it does not wait for the disk: a crash of the server may undo it. Not for
    # a statement in a transaction: the whole transaction would not wait.
    unsynced: str
    epoch: str  # an expression: the time in seconds by the clock of the database

    def last_id(self, table: str) -> str:
        """Return an expression: the id that the last INSERT in this transaction, into this table, has made."""
        ...

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows; outside a transaction it is committed when this returns.

        If the connection breaks, it may be run again after it was committed. A write of which that changes the outcome
        needs a transaction.
        """
        ...

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self.rows(sql, *values)), None)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run one statement for each of the values. Call it in a transaction."""
        ...

    def batch(self, statements: Sequence[Statement], *about: str | bytes, write: bool = True) -> list[list[Row]]:
        """Run statements in one trip to the server, and return the rows of each.

        Outside a transaction they are one: see there for ``about`` and ``write``. If the connection breaks, they may be
        run again after they were committed.
        """
        ...

    def transaction(self, *about: str | bytes, write: bool = True) -> AbstractContextManager[None]:
        """Commit everything in the block, or nothing; with ``write=False``, read from one snapshot.

        Transactions that write take turns: all of them, or, if ``about`` names what they change (the id of a document,
        a source), only those about the same.
        """
        ...

    def insist(self, work: Callable[[], T]) -> T:
        """Return the result of some work. If the connection breaks, wait for the server and do the work again.

        Work that was committed is not done again, so what follows a transaction must not break: let it insist itself.
        """
        ...

    def exists(self) -> bool:
        """Return whether there is a library; nothing is created."""
        ...

    def version(self) -> int:
        """Return the number of migrations that were applied."""
        ...

    def size(self) -> int:
        """Return the bytes on disk."""
        ...

    def unused(self) -> int:
        """Return how many of these bytes ``compact`` would free, as far as that is known."""
        ...

    def compact(self) -> None:
        """Free the space that removed things have left."""
        ...

    def renumber(self) -> None:
        """Let new rows get ids after those of rows that were inserted with an id."""
        ...

    def keep_ids(self, table: str, last: int) -> None:
        """Let new rows of a table get ids after this one, with which a row is about to be inserted."""
        ...

    def faults(self) -> Iterator[str]:
        """Yield a sentence for each damage that the database itself finds."""
        ...

    def close(self) -> None:
        """Close the connections. The next use opens them again."""
        ...


def insisting(kind: _Class) -> _Class:
    """Let the public methods of a class with a ``_db`` survive a connection that breaks: see ``Database.insist``."""
    for name, method in list(vars(kind).items()):
        if not name.startswith("_") and callable(method) and not isinstance(method, type | staticmethod | classmethod):
            setattr(kind, name, _repeated(method))
    return kind


def _repeated(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def insist(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = [list(one) if isinstance(one, Iterator) else one for one in args]  # to be read more than once
        return self._db.insist(lambda: method(self, *given, **kwargs))

    return insist


def bound(function: Callable[Concatenate[Database, _P], T]) -> Callable[Concatenate[Any, _P], T]:
    """Return a method for a class with a ``_db``: the function, with that as its first argument."""

    @functools.wraps(function)
    def method(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> T:
        return function(self._db, *args, **kwargs)

    return method
