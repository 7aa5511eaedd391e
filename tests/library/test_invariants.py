"""What must hold between rows: whatever breaks it, check tells and repair mends, and nothing readable goes."""

from __future__ import annotations

from contextlib import suppress

import pytest

from library.everything import fill_everything
from library.shelf import answer_to, kept, memory_of
from readagent.library import Library
from readagent.library.corpus_rows import Entry, Spending
from readagent.library.database import Database
from readagent.library.sqlite import SQLiteDatabase
from readagent.library.upkeep.invariants import INVARIANTS, broken, mend
from readagent.library.upkeep.tables import REFERENCES, TABLES, Reference

BREAKS = {
    "finished readings without some of their pages": "DELETE FROM pages WHERE number = 1",
    "pages after a missing one": "DELETE FROM pages WHERE number = 0",
    "readings with other numbers of pages and words than their pages": "UPDATE readings SET gist_words = 7",
    "shorter gists of missing pages": "UPDATE levels SET number = 99",
    "questions without an answer": "DELETE FROM answers",
    "documents of a corpus that are done and were not read": "DELETE FROM readings",
}


class UndoError(Exception):
    """Ends a transaction whose changes are not kept."""


def test_whatever_breaks_an_invariant_is_found_and_mended(library: Library) -> None:
    fill_everything(library)
    db = library._db
    assert library.check() == []
    for invariant, reference in zip(INVARIANTS, [*REFERENCES, *[None] * len(BREAKS)], strict=True):
        with suppress(UndoError), db.transaction():
            _unchecked(db, on=True)
            if reference is None:
                db.rows(BREAKS[invariant.name])
            else:
                _lead_nowhere(db, reference)
            _unchecked(db, on=False)
            told, mended = dict(broken(db)), mend(db)
            left = [*broken(db), *mend(db)]
            raise UndoError
        assert (invariant.name in told, invariant.name in mended, left) == (True, True, [])
    assert library.check() == []


def _unchecked(db: Database, *, on: bool) -> None:
    """Let the database accept references to nothing, in this transaction."""
    if isinstance(db, SQLiteDatabase):
        db.rows("PRAGMA defer_foreign_keys = ON")
    else:
        db.rows(f"SET LOCAL session_replication_role = {'replica' if on else 'origin'}")


def _lead_nowhere(db: Database, reference: Reference) -> None:
    name, column = reference.table, reference.column
    key = next(table.key for table in TABLES if table.name == name)
    row = db.row(f"SELECT {key} FROM {name} WHERE {column} IS NOT NULL LIMIT 1")
    assert row is not None, f"{name} has no {column}"
    nowhere = "'nowhere'" if reference.parent == "documents" else "999999"
    db.rows(f"UPDATE {name} SET {column} = {nowhere} WHERE ({key}) = ({', '.join('?' * len(row))})", *row)


def test_every_reference_of_the_tables_is_checked() -> None:
    with Library.in_memory() as library:
        lists = {table.name: library._db.rows(f"PRAGMA foreign_key_list({table.name})") for table in TABLES}
    known = {(one.table, one.column, one.parent, one.to) for one in REFERENCES}
    assert {(name, row[3], row[2], row[4]) for name, rows in lists.items() for row in rows} == known


@pytest.mark.parametrize(
    "damage", ["DELETE FROM pages WHERE number = 2", "UPDATE pages SET words = 0 WHERE number = 2"]
)
def test_a_reading_that_lost_a_page_is_read_again_and_what_was_asked_stays(library: Library, damage: str) -> None:
    memory = memory_of()
    document = kept(library, memory)
    answer = library.keep_answer(document, memory.key, answer_to(), model="m")
    corpus, worker = library.corpora.open("logs"), library.corpora.enlist()
    library.corpora.add(corpus, [Entry("/logs/1")])
    (source,) = library.corpora.claim(corpus, worker, 1)
    library.corpora.finish(worker, source.id, document, pages=3, spent=Spending())
    library._db.rows(damage)
    assert library.check()
    library.repair()
    assert library.check() == []
    assert library.answer(answer).text == answer_to().text
    assert [row.state for row in library.documents()] == ["reading"]
    assert library.corpora.progress(corpus).states == {"waiting": 1}
    library.finish_reading(library.readings(document)[0].id, memory)
    assert library.search("river")
