"""Is a library intact? SQLite checks the file; we check that texts match their ids, and values their checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from readagent.errors import DamagedLibraryError, LibraryError, NotInLibraryError
from readagent.library import answers, readings, search
from readagent.library.load import load
from readagent.library.pack import decompress, to_text, unseal
from readagent.library.sqlite import Database

_MOST_SHOWN = 20  # problems of SQLite's check


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is damaged: a row of a table, if ``table`` is given, and the reason in words."""

    reason: str
    table: str = ""
    row: int = 0


def problems(db: Database) -> Iterator[Problem]:
    """Yield everything that is damaged."""
    try:
        db.rows("SELECT 1")
    except LibraryError as error:
        yield Problem(str(error))
        if not isinstance(error, DamagedLibraryError):
            return
        db = Database(db.path, checked=False)
    for part in (_file, rows, _index):
        try:
            yield from part(db)
        except LibraryError as error:
            yield Problem(str(error))


def rows(db: Database) -> Iterator[Problem]:
    """Yield the rows that are damaged, documents before what belongs to them."""
    for table, what, check in _CHECKS:
        name = {"documents": "id", "calls": "key", "vectors": "hex(key)", "cards": "reading"}.get(table, "rowid")
        try:
            found = db.rows(f"SELECT rowid, {name} FROM {table}")
        except DamagedLibraryError as error:
            yield Problem(f"{table}: {error}")
            continue
        for row, name in found:
            try:
                check(db, row, str(name))
            except (DamagedLibraryError, NotInLibraryError) as error:  # damaged, or what it belongs to is missing
                yield Problem(f"{what} {name}: {error}", table, row)


def _file(db: Database) -> Iterator[Problem]:
    """Yield what SQLite finds."""
    for (found,) in db.rows(f"PRAGMA integrity_check({_MOST_SHOWN})"):
        if found != "ok":
            yield Problem(f"the file is damaged: {' '.join(str(found).split())}")
    for table, row, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield Problem(f"a row of {table} belongs to one of {parent} that is missing", table, row or 0)


def _index(db: Database) -> Iterator[Problem]:
    for (name,) in db.rows("SELECT id FROM documents"):
        try:
            intact = search.is_intact(db, name)
        except LibraryError as error:
            yield Problem(f"the search index of document {name} cannot be read: {error}")
            continue
        if not intact:
            yield Problem(f"the search index of document {name} does not match its pages")


def _document(db: Database, row: int, name: str) -> None:
    load(db, name)


def _reading(db: Database, row: int, name: str) -> None:
    document, key = db.rows("SELECT document, key FROM readings WHERE id = ?", row)[0]
    readings.with_key(db, document, key)


def _call(db: Database, row: int, name: str) -> None:
    text, prompt, *beside = db.rows(
        "SELECT reply, prompt, finish, prompt_tokens, reply_tokens, cached_tokens, cost FROM calls WHERE rowid = ?", row
    )[0]
    to_text(unseal(text, *beside))
    to_text(decompress(prompt))


def _answer(db: Database, row: int, name: str) -> None:
    answers.answer_with_trace(db, row)


def _vector(db: Database, row: int, name: str) -> None:
    key, vector = db.rows("SELECT key, vector FROM vectors WHERE rowid = ?", row)[0]
    unseal(vector, key)


def _level(db: Database, row: int, name: str) -> None:
    *beside, gist = db.rows("SELECT number, words, gist_words, gist_origin, gist FROM levels WHERE rowid = ?", row)[0]
    to_text(unseal(gist, *beside))


def _pinned(db: Database, row: int, name: str) -> None:
    *beside, gist, made = db.rows(
        "SELECT start_offset, end_offset, gist_words, gist_origin, gist, made FROM pinned WHERE rowid = ?", row
    )[0]
    to_text(unseal(gist, *beside))
    to_text(unseal(made))


def _card(db: Database, row: int, name: str) -> None:
    text, *beside = db.rows("SELECT text, title, kind, words, origin, gists FROM cards WHERE reading = ?", row)[0]
    to_text(unseal(text, *beside))


def _shelf_answer(db: Database, row: int, name: str) -> None:
    answer, trace = db.rows("SELECT answer, trace FROM shelf_answers WHERE id = ?", row)[0]
    to_text(unseal(answer))
    to_text(decompress(trace))


_CHECKS: tuple[tuple[str, str, Callable[[Database, int, str], None]], ...] = (
    ("documents", "document", _document),
    ("readings", "reading", _reading),
    ("calls", "reply", _call),
    ("answers", "answer", _answer),
    ("vectors", "vector", _vector),
    ("levels", "shorter gist", _level),
    ("pinned", "pinned gist", _pinned),
    ("cards", "card", _card),
    ("shelf_answers", "answer of a shelf", _shelf_answer),
)
