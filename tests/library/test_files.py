"""The file on disk: new, older, newer, foreign, damaged, locked, full."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from library.shelf import memory_of
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.errors import BusyLibraryError, DamagedLibraryError, FullDiskError, LibraryError, NewerLibraryError
from readagent.library import Library
from readagent.library.migrate import APPLICATION_ID, steps
from readagent.library.sqlite import SQLiteDatabase


def schema(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def marks(path: Path) -> tuple[int, int, str]:
    with closing(sqlite3.connect(path)) as connection:
        values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        return values[0], values[1], connection.execute("PRAGMA journal_mode").fetchone()[0]


@pytest.mark.parametrize("seen", [*range(0, len(steps()), 5), len(steps())])
def test_every_older_version_is_brought_up_to_date(tmp_path: Path, seen: int) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with Library(new) as library:
        library.documents()
    older = SQLiteDatabase(old, all_steps=steps()[:seen])
    older.rows("PRAGMA user_version")
    if seen:
        older.rows("INSERT INTO calls VALUES ('k', 'gist', x'', 'stop', 1, 2, 3, NULL, '2024-01-01', ?, x'')", b"kept")
    older.close()
    with Library(old) as library:
        assert (library.get("k") is not None) == bool(seen)
        library.add(Document.from_text("works"))
    assert schema(old) == schema(new)
    assert marks(old) == (APPLICATION_ID, len(steps()), "delete")  # closed: one file without a log


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with Library(path) as library:
        library.put("k", "m", Ask("gist", "p"), Reply("kept"))
    before = schema(path)
    broken = (*steps(), "CREATE TABLE more (id TEXT);\nCREATE TABLE calls (again TEXT);\n")
    with pytest.raises(Exception, match="calls"):
        SQLiteDatabase(path, all_steps=broken).rows("SELECT 1")
    assert schema(path) == before
    with Library(path) as library:
        assert library.get("k") is not None


def own(path: Path) -> None:
    with Library(path) as library:
        for n in range(50):
            library.put(str(n), "m", Ask("gist", "p"), Reply("text " * 500))


def note(path: Path) -> None:
    path.write_text("shopping list")


def cut(path: Path) -> None:
    own(path)
    path.write_bytes(path.read_bytes()[:-20_000])


def scribbled(path: Path) -> None:
    own(path)
    data = bytearray(path.read_bytes())
    data[100:2000] = b"\xff" * 1900
    path.write_bytes(data)


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE bookmarks (url TEXT)")


def newer(path: Path) -> None:
    own(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(steps()) + 1}")  # one step is enough


def refused(path: Path, error: type[LibraryError], *uses: Callable[[Library], object]) -> None:
    """Assert that each of these ends in one line with a hint, and that the file is as before."""
    before = path.read_bytes()
    for use in uses:
        with Library(path) as library:
            with pytest.raises(error) as caught:
                use(library)
            assert str(path) in str(caught.value)
            assert "\n" not in str(caught.value)
            assert caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("make", [note, cut, scribbled])
def test_a_damaged_file_is_told_and_not_changed(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "library.db"
    make(path)
    refused(
        path,
        DamagedLibraryError,
        lambda library: library.documents(),
        lambda library: library.put("k", "m", Ask("gist", "p"), Reply("r")),
    )


@pytest.mark.parametrize(("make", "error"), [(foreign, LibraryError), (newer, NewerLibraryError)])
def test_a_library_of_a_newer_version_or_another_program_is_refused_by_everything(
    tmp_path: Path, make: Callable[[Path], None], error: type[LibraryError]
) -> None:
    path = tmp_path / "library.db"
    make(path)
    refused(
        path,
        error,
        lambda library: library.documents(),
        lambda library: library.add(Document.from_text("text")),
        lambda library: library.info(),
        lambda library: library.check(),
        lambda library: library.repair(),
        lambda library: library.compact(),
        lambda library: library.backup(tmp_path / "backup.db"),
        lambda library: library.copy_to(Library(tmp_path / "copy.db")),
        lambda library: Library.in_memory().copy_to(library),
    )
    assert [file.name for file in tmp_path.iterdir() if file.name != "copy.db"] == ["library.db"]


def test_an_unfinished_write_of_a_dead_process_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    own(path)
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = DELETE'); c.execute('PRAGMA cache_size = 2'); c.execute('BEGIN');"
        "c.execute('UPDATE calls SET reply = zeroblob(3000)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
    assert path.with_name("library.db-journal").exists()
    with Library(path) as library:
        replies = [library.get(str(n)) for n in range(50)]
    assert [reply and reply.text for reply in replies] == ["text " * 500] * 50


def test_a_lock_that_is_never_released_raises_a_busy_error(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    with Library(path, busy_timeout=0.01) as library:
        library.put("k", "m", Ask("gist", "p"), Reply("r"))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(BusyLibraryError):
                library.put("l", "m", Ask("gist", "p"), Reply("r"))
            assert library.get("k") is not None  # a writer does not block readers
            with Library(path, busy_timeout=0.01) as reader:
                assert reader.get("k") is not None
        library.put("l", "m", Ask("gist", "p"), Reply("r"))


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        library.put("k", "m", Ask("gist", "p"), Reply("kept"))
        memory = memory_of("Word after word. " * 2000, size=200)
        document = library.add(memory.document)
        reading = library.start_reading(document, "key", model="m", prompts="p", plan=Plan(), window=None)
        (used,) = library._db.rows("PRAGMA page_count")[0]
        library._db.rows(f"PRAGMA max_page_count = {used + 2}")
        with pytest.raises(FullDiskError) as caught:
            library.finish_reading(reading, memory)
        assert "space" in caught.value.hint
        with pytest.raises(FullDiskError):
            library.put("l", "m", Ask("gist", "p"), Reply("long " * 10_000))
        assert library.memory(document) is None
        assert library.search("word") == []
        assert library.document(document) == memory.document
        library._db.rows("PRAGMA max_page_count = 1000000")
        library.finish_reading(reading, memory)
        assert library.memory(document) == memory
    with Library(tmp_path) as library:
        assert library.get("k") is not None
        assert library.get("l") is None
