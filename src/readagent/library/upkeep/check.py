"""Is a library intact? The database checks itself; we check that texts match their ids, and values their checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from readagent.errors import DamagedLibraryError, LibraryError, NotInLibraryError, UnreachableLibraryError
from readagent.library import answers, corpora, jobs, readings, search
from readagent.library.database import Database
from readagent.library.load import load
from readagent.library.pack import decompress, to_text, unseal
from readagent.library.sqlite import SQLiteDatabase


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is damaged: one of its ``kind``, such as ``reading 3``, or, without a kind, a sentence.

    ``table`` and ``row`` say where it is, if it is a row of a table; ``row`` is its ``Database.row_id``.
    """

    what: str
    kind: str = ""
    table: str = ""
    row: Any = 0


def problems(db: Database) -> Iterator[Problem]:
    """Yield everything that is damaged."""
    try:
        db.rows("SELECT 1")
    except LibraryError as error:
        if not isinstance(db, SQLiteDatabase):  # it cannot be reached
            raise
        yield Problem(str(error))
        db = SQLiteDatabase(db.path, checked=False)
        try:
            db.rows("SELECT 1")
        except LibraryError:  # nothing more can be found out
            return
    with nullcontext() if isinstance(db, SQLiteDatabase) else db.transaction(write=False):
        for part in (_faults, rows, _index):
            try:
                yield from part(db)
            except UnreachableLibraryError:
                raise
            except LibraryError:
                yield Problem("a part of the library cannot be read")


def lines(found: Iterable[Problem]) -> list[str]:
    """Return problems as lines, one for each kind of thing that is damaged."""
    named: dict[str, list[str]] = {}
    for problem in found:
        named.setdefault(problem.kind or problem.what, []).append(problem.what)
    return [kind if kind == names[0] else _line(names) for kind, names in named.items()]


def _line(names: Sequence[str]) -> str:
    return f"{names[0]} is damaged" if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more are damaged"


def rows(db: Database) -> Iterator[Problem]:
    """Yield the rows that are damaged, documents before what belongs to them."""
    for table, what, check in _CHECKS:
        key = _KEYS.get(table, "id")
        try:
            found = db.rows(f"SELECT {db.row_id}, {key or db.row_id} FROM {table}")
        except DamagedLibraryError:
            yield Problem(f"the table of {table} cannot be read")
            continue
        for row, named in found:
            name = named.hex().upper() if isinstance(named, bytes) else str(named)
            try:
                check(db, row)
            except (DamagedLibraryError, NotInLibraryError, IndexError):  # damaged, or a row that it needs is missing
                yield Problem(f"{what} {name}", what, table, row)


_KEYS = {"calls": "key", "vectors": "key", "cards": "reading", "levels": "", "pinned": ""}  # what names a row


def _faults(db: Database) -> Iterator[Problem]:
    """Yield what the database finds."""
    yield from map(Problem, db.faults())


def _index(db: Database) -> Iterator[Problem]:
    for (name,) in db.rows("SELECT id FROM documents"):
        try:
            intact = search.is_intact(db, name)
        except LibraryError:
            intact = False
        if not intact:
            yield Problem(f"the search index of document {name}", "index")


def _document(db: Database, row: Any) -> None:
    load(db, db.rows(f"SELECT id FROM documents WHERE {db.row_id} = ?", row)[0][0])


def _reading(db: Database, row: Any) -> None:
    document, key = db.rows(f"SELECT document, key FROM readings WHERE {db.row_id} = ?", row)[0]
    readings.with_key(db, document, key)


def _call(db: Database, row: Any) -> None:
    text, prompt, *beside = db.rows(
        "SELECT reply, prompt, finish, prompt_tokens, reply_tokens, cached_tokens, cost FROM calls"
        f" WHERE {db.row_id} = ?",
        row,
    )[0]
    to_text(unseal(text, *beside))
    to_text(decompress(prompt))


def _answer(db: Database, row: Any) -> None:
    answers.answer_with_trace(db, _id(db, "answers", row))


def _vector(db: Database, row: Any) -> None:
    key, vector = db.rows(f"SELECT key, vector FROM vectors WHERE {db.row_id} = ?", row)[0]
    unseal(vector, key)


def _level(db: Database, row: Any) -> None:
    *beside, gist = db.rows(
        f"SELECT number, words, gist_words, gist_origin, gist FROM levels WHERE {db.row_id} = ?", row
    )[0]
    to_text(unseal(gist, *beside))


def _pinned(db: Database, row: Any) -> None:
    *beside, gist, made = db.rows(
        f"SELECT start_offset, end_offset, gist_words, gist_origin, gist, made FROM pinned WHERE {db.row_id} = ?", row
    )[0]
    to_text(unseal(gist, *beside))
    to_text(unseal(made))


def _card(db: Database, row: Any) -> None:
    text, *beside = db.rows(f"SELECT text, title, kind, words, origin, gists FROM cards WHERE {db.row_id} = ?", row)[0]
    to_text(unseal(text, *beside))


def _shelf_answer(db: Database, row: Any) -> None:
    answer, trace = db.rows(f"SELECT answer, trace FROM shelf_answers WHERE {db.row_id} = ?", row)[0]
    to_text(unseal(answer))
    to_text(decompress(trace))


def _job(db: Database, row: Any) -> None:
    jobs.check(db, _id(db, "jobs", row))


def _corpus_source(db: Database, row: Any) -> None:
    corpora.check(db, _id(db, "corpus_sources", row))


def _id(db: Database, table: str, row: Any) -> int:
    return int(db.rows(f"SELECT id FROM {table} WHERE {db.row_id} = ?", row)[0][0])


_CHECKS: tuple[tuple[str, str, Callable[[Database, Any], None]], ...] = (
    ("documents", "document", _document),
    ("readings", "reading", _reading),
    ("calls", "reply", _call),
    ("answers", "answer", _answer),
    ("vectors", "vector", _vector),
    ("levels", "shorter gist", _level),
    ("pinned", "pinned gist", _pinned),
    ("cards", "card", _card),
    ("shelf_answers", "answer of a shelf", _shelf_answer),
    ("jobs", "job", _job),
    ("corpus_sources", "source of a corpus", _corpus_source),
)
