"""Processes that are killed, and the write-ahead log: nothing that was stored is lost."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from library.processes import BOOK, start
from readagent.core.document import Document
from readagent.library import Library


@pytest.mark.parametrize("after", [1, 300])
@pytest.mark.slow
def test_a_kill_loses_no_cached_call(tmp_path: Path, after: int) -> None:
    with start("put_for_ever", tmp_path) as child:
        assert child.stdout is not None
        stored = [int(child.stdout.readline()) for _ in range(after)]
        child.kill()
        stored += [int(line) for line in child.stdout.read().splitlines()]
    with Library(tmp_path) as library:
        for n in stored:
            reply = library.get(str(n))
            assert reply is not None
            assert reply.text == f"reply {n} " * 50


@pytest.mark.slow
def test_a_kill_while_a_reading_is_stored_leaves_one_complete_reading(tmp_path: Path) -> None:
    for rounds in (1, 3):
        with start("finish_for_ever", tmp_path) as child:
            assert child.stdout is not None
            for _ in range(rounds):
                child.stdout.readline()
            child.kill()
        with Library(tmp_path) as library:
            (row,) = library.documents()
            memory = library.memory(row.id)
            assert memory is not None
            assert "".join(memory.page_text(page.number) for page in memory.pages) == BOOK
            assert len(library.search("short", limit=1000)) == len(memory.pages)


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A library whose process was killed: the latest changes are in the log."""
    home = tmp_path / "home"
    with start("put_for_ever", home) as child:
        assert child.stdout is not None
        for _ in range(60):
            child.stdout.readline()
        child.kill()
    assert (home / "library.db-wal").stat().st_size
    return home / "library.db"


def test_a_closed_library_is_one_private_file(tmp_path: Path) -> None:
    with Library(tmp_path) as library, Library(tmp_path) as other:
        library.add(Document.from_text("One."))
        other.add(Document.from_text("Two."))
        private = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["library.db"]
    assert set(private) == {"library.db", "library.db-wal", "library.db-shm"}
    if os.name != "nt":
        assert set(private.values()) == {0o600}
        (tmp_path / "library.db").chmod(0o664)
        with Library(tmp_path) as library:
            assert len(library.documents()) == 2
        assert stat.S_IMODE((tmp_path / "library.db").stat().st_mode) == 0o600


def test_a_log_that_another_program_has_merged_is_no_error(killed: Path) -> None:
    with closing(sqlite3.connect(killed)) as other:  # which merges the log when it closes the file
        other.execute("SELECT count(*) FROM calls")
    assert not killed.with_name("library.db-wal").exists()
    with Library(killed) as library:
        assert library.get("59") is not None
        assert library.check() == []
