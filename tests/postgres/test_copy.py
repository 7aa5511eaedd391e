"""A library is copied to a server and back, and a copy that was killed is continued."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from library.everything import fill_everything
from postgres_server import Server
from readagent.core.trace import Event
from readagent.library import Library
from readagent.library.upkeep.tables import TABLES

pytestmark = pytest.mark.slow

KILLED_AFTER = """
import os, signal, sys
from readagent.library import Library
from readagent.library.upkeep.tables import TABLES
left = int(sys.argv[3])
def count(event):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
with Library(sys.argv[1]) as source, Library(sys.argv[2]) as target:
    source.copy_to(target, on_progress=count)
"""


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


@pytest.mark.release
def test_a_copy_that_was_killed_is_continued(postgres: Server, tmp_path: Path) -> None:
    source, target = str(tmp_path / "file"), postgres.new_database()
    with Library(source) as one:
        fill_everything(one)
    killed = 0
    for after in (1, 2, 9, 30, 50):  # while rows are copied, indexed and verified
        done = subprocess.run([sys.executable, "-c", KILLED_AFTER, source, target, str(after)], capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr
        killed += 1
    assert killed == 5
    with Library(source) as one, Library(target) as two:
        copy = one.copy_to(two)
        assert copy.copied < sum(copy.rows.values())
        assert two.documents() == one.documents()
        assert len(two.search("ferryman")) == len(one.search("ferryman")) > 0
        assert two.check() == []
        assert one.copy_to(two).copied == 0


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
    left_behind = {"leases", "library_format", "page_words", "card_words"}
    expected = {(table.name, column) for table in TABLES for column in table.columns.split(", ")}
    assert {row for row in rows if row[0] not in left_behind} == expected
