"""A library is copied to another file: everything, and nothing that was not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from library.everything import fill_everything
from readagent.core.document import Document
from readagent.core.trace import Event, Working
from readagent.errors import LibraryError, UsageError
from readagent.library import Library
from readagent.library.upkeep.tables import TABLES

LEFT_BEHIND = {"leases", "state", "sums", "sqlite_sequence"}


def test_everything_is_copied(tmp_path: Path) -> None:
    told: list[Event] = []
    with Library(tmp_path / "one") as one, Library(tmp_path / "two") as two:
        memories = fill_everything(one)
        copy = one.copy_to(two, on_progress=told.append)
        assert all(copy.rows.values())
        assert copy.copied == sum(copy.rows.values())
        assert two.documents() == one.documents()
        assert [two.memory(memory.document.id) for memory in memories] == [
            one.memory(memory.document.id) for memory in memories
        ]
        assert two.answer(1) == one.answer(1)
        assert two.search("ferryman") == one.search("ferryman")
        assert two.shelves.search("tales", ["lamps"], 3) == one.shelves.search("tales", ["lamps"], 3)
        assert two.check() == []
    assert Working("copying documents", 3, 3) in told


def test_every_table_and_column_is_copied(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        db = library._db
        tables = {name for (name,) in db.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        stored = {name for name in tables if not name.startswith(("page_words", "card_words"))} - LEFT_BEHIND
        assert stored == {table.name for table in TABLES}
        for table in TABLES:
            columns = {row[1] for row in db.rows(f"PRAGMA table_info({table.name})")}
            assert columns == set(table.columns.split(", "))


def test_a_second_copy_has_nothing_to_do(tmp_path: Path) -> None:
    with Library(tmp_path / "one") as one, Library(tmp_path / "two") as two:
        fill_everything(one)
        first = one.copy_to(two)
        again = one.copy_to(two)
        assert again.copied == 0
        assert (again.rows, again.digest) == (first.rows, first.digest)


def test_a_library_with_other_things_is_left_alone(tmp_path: Path) -> None:
    with Library(tmp_path / "one") as one, Library(tmp_path / "two") as two:
        fill_everything(one)
        two.add(Document.from_text("another text"))
        before = [two._db.rows(f"SELECT count(*) FROM {table.name}") for table in TABLES]
        with pytest.raises(UsageError, match="does not have, or has otherwise") as raised:
            one.copy_to(two)
        assert raised.value.hint
        assert [two._db.rows(f"SELECT count(*) FROM {table.name}") for table in TABLES] == before


def test_a_copy_that_something_else_changes_is_not_called_complete(tmp_path: Path) -> None:
    with Library(tmp_path / "one") as one, Library(tmp_path / "two") as two:
        fill_everything(one)

        def meddle(event: Event) -> None:
            if event == Working("copying jobs", 1, 1):
                two._db.rows("UPDATE answers SET text = x'00'")

        with pytest.raises(LibraryError, match=r"differs from .* in its answers"):
            one.copy_to(two, on_progress=meddle)
