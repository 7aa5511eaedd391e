"""Is a library intact? SQLite checks the file; we check that texts match their ids, and values their checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from readagent.errors import DamagedLibraryError, LibraryError, NotInLibraryError
from readagent.library import answers, jobs, readings, search
from readagent.library.examine import one_line
from readagent.library.load import load
from readagent.library.pack import decompress, to_text, unseal
from readagent.library.sqlite import Database

_MOST_COUNTED = 20  # problems of SQLite's check


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is damaged: one of its ``kind``, such as ``reading 3``, or, without a kind, a sentence.

    ``table`` and ``row`` say where it is, if it is a row of a table.
    """

    what: str
    kind: str = ""
    table: str = ""
    row: int = 0


def problems(db: Database) -> Iterator[Problem]:
    """Yield everything that is damaged."""
    try:
        db.rows("SELECT 1")
    except LibraryError as error:
        yield Problem(str(error))
        db = Database(db.path, checked=False)
        try:
            db.rows("SELECT 1")
        except LibraryError:  # nothing more can be found out
            return
    for part in (_file, rows, _index):
        try:
            yield from part(db)
        except LibraryError:
            yield Problem("SQLite cannot read a part of the file")


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
        name = {"documents": "id", "calls": "key", "vectors": "hex(key)", "cards": "reading"}.get(table, "rowid")
        try:
            found = db.rows(f"SELECT rowid, {name} FROM {table}")
        except DamagedLibraryError:
            yield Problem(f"the table of {table} cannot be read")
            continue
        for row, name in found:
            try:
                check(db, row, str(name))
            except (DamagedLibraryError, NotInLibraryError):  # damaged, or what it belongs to is missing
                yield Problem(f"{what} {name}", what, table, row)


def _file(db: Database) -> Iterator[Problem]:
    """Yield what SQLite finds."""
    found = [one_line(text) for (text,) in db.rows(f"PRAGMA integrity_check({_MOST_COUNTED})") if text != "ok"]
    if found:
        more = f", and {len(found) - 1} more problems" if len(found) > 1 else ""
        yield Problem(f"SQLite finds damage in the file: {found[0]}{more}")
    for table, _, parent, _ in db.rows("PRAGMA foreign_key_check"):
        yield Problem(f"a row of {table} belongs to one of {parent} that is missing")


def _index(db: Database) -> Iterator[Problem]:
    for (name,) in db.rows("SELECT id FROM documents"):
        try:
            intact = search.is_intact(db, name)
        except LibraryError:
            intact = False
        if not intact:
            yield Problem(f"the search index of document {name}", "index")


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


def _job(db: Database, row: int, name: str) -> None:
    jobs.check(db, row)


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
    ("jobs", "job", _job),
)
