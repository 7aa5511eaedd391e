"""Invariants: what must hold between the rows of a library, on SQLite and PostgreSQL, and what mends it.

Each is a condition on the rows of a table that break it, and the statement that mends these rows. Nothing that can be
read is removed: a reading that lacks pages is one that is not finished, and goes on the next time from those it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from readagent.errors import DamagedLibraryError, LibraryError, NotInLibraryError
from readagent.library import readings, search
from readagent.library.database import Database
from readagent.library.load import load
from readagent.library.page_rows import COLUMNS, FIGURES, from_row
from readagent.library.shelves import Shelves
from readagent.library.upkeep.tables import REFERENCES, Reference


@dataclass(frozen=True, slots=True)
class Invariant:
    """Rows of the table that fulfil the condition ``where`` break the invariant."""

    name: str  # of these rows
    table: str
    where: str
    mend: str  # a statement that lacks only the condition


_PAGES = "SELECT 1 FROM pages WHERE pages.reading"
_GAPS = """
SELECT reading, min(number) AS number FROM (
    SELECT reading, number, start_offset, lag(end_offset, 1, 0) OVER run AS before, row_number() OVER run - 1 AS place
    FROM pages WINDOW run AS (PARTITION BY reading ORDER BY number)
) AS pages_in_order WHERE number <> place OR start_offset <> before GROUP BY reading
"""
_UNFINISHED = "UPDATE readings SET state = 'reading'"
_DONE = "SELECT 1 FROM readings WHERE readings.state = 'done' AND readings.document"


def _belongs(one: Reference) -> Invariant:
    there = f"EXISTS (SELECT 1 FROM {one.parent} WHERE {one.parent}.{one.to} = {one.table}.{one.column})"
    mend = f"DELETE FROM {one.table}" if one.owns else f"UPDATE {one.table} SET {one.column} = NULL"
    what = f"rows of {one.table} that belong to one of {one.parent} that is missing"
    return Invariant(what, one.table, f"{one.column} IS NOT NULL AND NOT {there}", mend)


INVARIANTS = (
    *map(_belongs, REFERENCES),
    Invariant(
        "finished readings without some of their pages", "readings",
        f"state = 'done' AND (id IN (SELECT reading FROM ({_GAPS}) AS gaps) OR NOT EXISTS ({_PAGES} = readings.id)"
        " AND EXISTS (SELECT 1 FROM documents WHERE documents.id = readings.document AND length(documents.text) > 0))",
        _UNFINISHED,
    ),
    Invariant(
        "pages after a missing one", "pages",
        f"EXISTS (SELECT 1 FROM ({_GAPS}) AS gaps WHERE gaps.reading = pages.reading AND gaps.number <= pages.number)",
        "DELETE FROM pages",
    ),
    Invariant(
        "readings with other numbers of pages and words than their pages", "readings",
        f"(page_count, gist_words, lead_gists) <> ({FIGURES})",
        f"UPDATE readings SET (page_count, gist_words, lead_gists) = ({FIGURES})",
    ),
    Invariant(
        "shorter gists of missing pages", "levels",
        f"NOT EXISTS ({_PAGES} = levels.reading AND pages.number = levels.number)", "DELETE FROM levels",
    ),
    Invariant(
        "questions without an answer", "questions",
        "NOT EXISTS (SELECT 1 FROM answers WHERE answers.question = questions.id)", "DELETE FROM questions",
    ),
    Invariant(
        "documents of a corpus that are done and were not read", "corpus_sources",
        f"state = 'done' AND document IS NOT NULL AND NOT EXISTS ({_DONE} = corpus_sources.document)",
        "UPDATE corpus_sources SET state = 'waiting', tries = 0",
    ),
)  # fmt: skip


def broken(db: Database) -> Iterator[tuple[str, int]]:
    """Yield what breaks invariants: the name of such rows, and how many they are."""
    for one in INVARIANTS:
        number = int(db.rows(f"SELECT count(*) FROM {one.table} WHERE {one.where}")[0][0])
        if number:
            yield one.name, number


def mend(db: Database) -> dict[str, int]:
    """Mend what breaks invariants, and the search index; return how many of each kind. Call it in a transaction."""
    mended = {one.name: len(db.rows(f"{one.mend} WHERE {one.where} RETURNING 1")) for one in INVARIANTS}
    names = list(unindexed(db))
    for name in names:
        search.reindex(db, name)
    cards = has_other_cards(db)
    if cards:
        Shelves(db).reindex_cards()
    mended |= {"documents in the search index": len(names), "search index of cards": int(cards)}
    return {name: number for name, number in mended.items() if number}


def unindexed(db: Database) -> Iterator[str]:
    """Yield the documents that are not in the search index as they are in the library."""
    for (name,) in db.rows("SELECT id FROM documents"):
        try:
            intact = search.is_intact(db, name)
        except LibraryError:
            intact = False
        if not intact:
            yield name


def has_other_cards(db: Database) -> bool:
    """Return whether the search index has other cards than the library."""
    return db.row("SELECT 1 FROM cards WHERE reading NOT IN (SELECT rowid FROM card_words)") is not None


def shorten(db: Database, reading: int) -> bool:
    """Let a reading be continued from the pages before the first that cannot be read; return whether that mended it."""
    document, key = db.rows("SELECT document, key FROM readings WHERE id = ?", reading)[0]
    try:
        load(db, document)
        readable = _readable(db, reading)
        db.rows("DELETE FROM pages WHERE reading = ? AND number >= ?", reading, readable)
        db.rows(f"{_UNFINISHED} WHERE id = ?", reading)
        readings.with_key(db, document, key)
    except (DamagedLibraryError, NotInLibraryError):
        return False
    return True


def _readable(db: Database, reading: int) -> int:
    """Return how many pages of a reading can be read, from the first one on."""
    pages = db.rows(f"SELECT {COLUMNS} FROM pages WHERE reading = ? ORDER BY number", reading)
    for number, row in enumerate(pages):
        try:
            from_row(row)
        except DamagedLibraryError:
            return number
    return len(pages)
