"""A library is copied to a server and back, and a copy that was killed is continued."""

from __future__ import annotations

from pathlib import Path

import pytest

from library.everything import fill_everything
from postgres_server import Server
from readagent.core.trace import Event
from readagent.library import Library
from readagent.library.upkeep.tables import TABLES

pytestmark = pytest.mark.slow


def test_a_library_goes_to_a_tenant_and_back(postgres: Server, tmp_path: Path) -> None:
    url = f"{postgres.new_database()}?tenant=legal"
    with Library(tmp_path / "one") as one, Library(url) as server, Library(tmp_path / "two") as two:
        memories = fill_everything(one)
        there = one.copy_to(server)
        back = server.copy_to(two)
        assert all(there.rows.values())
        assert there == back
        assert two.documents() == server.documents() == one.documents()
        for memory in memories:
            name = memory.document.id
            assert server.memory(name) == two.memory(name) == one.memory(name)
        assert server.answer(1) == two.answer(1) == one.answer(1)
        assert len(server.search("ferryman")) == len(one.search("ferryman")) > 0
        assert server.shelves.search("tales", ["lamps"], 3) == one.shelves.search("tales", ["lamps"], 3)
        assert [library.check() for library in (server, two)] == [[], []]


def test_a_copy_waits_for_a_server_that_is_killed(own_server: Server, tmp_path: Path) -> None:
    url = own_server.new_database()
    told: list[Event] = []

    def kill(event: Event) -> None:
        told.append(event)
        if len(told) in (4, 25):
            own_server.kill()
            own_server.start()

    with Library(tmp_path) as one, Library(url) as server:
        fill_everything(one)
        copy = one.copy_to(server, on_progress=kill)
        assert copy.copied == sum(copy.rows.values())
        assert server.documents() == one.documents()


def test_every_column_on_the_server_is_copied(postgres_url: str) -> None:
    with Library(postgres_url) as library:
        library.documents()
        rows = library._db.rows(
            "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns"
            " WHERE table_schema = 'readagent'"
        )
    left_behind = {"leases", "library_format", "commits", "page_words", "card_words"}
    expected = {(table.name, column) for table in TABLES for column in table.columns.split(", ")}
    assert {row for row in rows if row[0] not in left_behind} == expected
