"""Is a library intact? The database checks itself; we check that texts match their ids, and values their checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from readagent.errors import DamagedLibraryError, LibraryError, NotInLibraryError, UnreachableLibraryError
from readagent.library import answers, corpora, jobs, readings
from readagent.library.database import Database, Row
from readagent.library.load import load
from readagent.library.pack import decompress, to_text, unpack_rows, unseal
from readagent.library.sqlite import SQLiteDatabase
from readagent.library.upkeep import invariants
from readagent.library.upkeep.tables import TABLES, Table, batches


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is damaged: one of its ``kind``, such as ``reading 3``, or, without a kind, a sentence.

    ``table`` and ``key`` say where it is, if it is a row of a table.
    """

    what: str
    kind: str = ""
    table: Table | None = None
    key: Row = ()


def problems(db: Database) -> Iterator[Problem]:
    """Yield everything that is damaged. Raise LibraryError for a library that is newer, and for what is no library."""
    try:
        db.version()
    except DamagedLibraryError as error:  # it cannot be opened
        yield Problem(str(error))
        return
    with nullcontext() if isinstance(db, SQLiteDatabase) else db.transaction(write=False):
        for part in (_faults, rows, _broken, _index):
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


def _line(names: list[str]) -> str:
    return f"{names[0]} is damaged" if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more are damaged"


def rows(db: Database) -> Iterator[Problem]:
    """Yield the rows that are damaged, documents before what belongs to them."""
    for table in TABLES:
        if table.name in _CHECKS:
            try:
                yield from _damaged_rows(db, table)
            except DamagedLibraryError:
                yield Problem(f"the table of {table.name} cannot be read")


def _damaged_rows(db: Database, table: Table) -> Iterator[Problem]:
    kind, check = _CHECKS[table.name]
    names = table.columns.split(", ")
    for batch in batches(db, table):
        for row in batch:
            try:
                check(db, dict(zip(names, row, strict=True)))
            except (DamagedLibraryError, NotInLibraryError, IndexError):  # damaged, or a row that it needs is missing
                shown = row[0].hex().upper() if isinstance(row[0], bytes) else row[0]
                yield Problem(f"{kind} {shown}", kind, table, row[: table.width])


def _faults(db: Database) -> Iterator[Problem]:
    """Yield what the database finds."""
    yield from map(Problem, db.faults())


def _broken(db: Database) -> Iterator[Problem]:
    """Yield which rows do not fit to each other."""
    for name, number in invariants.broken(db):
        yield Problem(f"{name}: {number:,}")


def _index(db: Database) -> Iterator[Problem]:
    for name in invariants.unindexed(db):
        yield Problem(f"the search index of document {name}", "index")
    if invariants.has_other_cards(db):
        yield Problem("the search index of the cards of shelves", "index")


Values = Mapping[str, Any]  # of a row, by column


def _sealed(column: str, beside: str = "", compressed: str = "") -> Callable[[Database, Values], None]:
    """Return a check of a column that is sealed with those ``beside`` it, and of one that is ``compressed``."""

    def check(db: Database, row: Values) -> None:
        to_text(unseal(row[column], *(row[name] for name in beside.split())))
        if compressed:
            to_text(decompress(row[compressed]))

    return check


def _answer(db: Database, row: Values) -> None:
    if db.row("SELECT 1 FROM questions WHERE id = ? AND shelf IS NOT NULL", row["question"]):
        _sealed("text", compressed="trace")(db, row)
    else:
        answers.answer_with_trace(db, row["id"])


def _trash(db: Database, row: Values) -> None:
    to_text(unseal(row["name"], row["removed"]))
    unpack_rows(row["content"])


def _vector(db: Database, row: Values) -> None:
    unseal(row["vector"], row["key"])


_CHECKS: Mapping[str, tuple[str, Callable[[Database, Values], Any]]] = {
    "documents": ("document", lambda db, row: load(db, row["id"])),
    "readings": ("reading", lambda db, row: readings.with_key(db, row["document"], row["key"])),
    "calls": ("reply", _sealed("reply", "finish prompt_tokens reply_tokens cached_tokens cost", "prompt")),
    "answers": ("answer", _answer),
    "answer_notes": ("note", _sealed("note", "starred")),
    "originals": ("original", lambda db, row: unseal(row["file"])),
    "vectors": ("vector", _vector),
    "levels": ("shorter gist", _sealed("gist", "number words gist_words gist_origin")),
    "pinned": ("pinned gist", _sealed("gist", "start_offset end_offset gist_words gist_origin")),
    "cards": ("card", _sealed("text", "title kind words origin gists")),
    "jobs": ("job", lambda db, row: jobs.check(db, row["id"])),
    "trash": ("thing in the trash", _trash),
    "corpus_sources": ("source of a corpus", lambda db, row: corpora.check(db, row["id"])),
}
