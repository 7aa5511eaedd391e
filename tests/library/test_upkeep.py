"""Looking after a library: what it holds, checks, backups, copies, repair and compaction."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from library.everything import fill_everything
from library.processes import start
from library.shelf import answer_to, kept, memory_of
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.shelf.shelf_answer import Card
from readagent.core.trace import Event, Working
from readagent.errors import BusyLibraryError, DamagedLibraryError, LibraryError, UsageError
from readagent.library import Library
from readagent.library.upkeep.tables import TABLES

TEXT = "Some words about a ferry, and a few others. " * 80


def fill(library: Library, documents: int = 12) -> list[GistMemory]:
    """Store some documents with readings, answers, replies, vectors, a card and a pinned gist."""
    memories = [memory_of(f"Document {n}. {TEXT}", title=f"Title {n}", size=400) for n in range(documents)]
    for number, memory in enumerate(memories):
        document = kept(library, memory, "key")
        library.keep_answer(document, "key", answer_to(), model="m")
        library.put(f"call {number}", "m", Ask("gist", f"prompt {number}"), Reply(f"reply {number} " * 200))
        library.keep_vectors({f"vector {number}".encode(): bytes(400)})
    library.shelves.new("ferries")
    library.shelves.put("ferries", memories[0].document.id)
    library.shelves.keep_card("key", Card(memories[0].document.id, "Title 0", "log", "About a ferry.", 3))
    library.pin(memories[1], {0: "My own gist."})
    return memories


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    with Library(tmp_path / "home") as library:
        fill(library)
    return tmp_path / "home" / "library.db"


def scribble(path: Path, start: int, length: int) -> None:
    data = bytearray(path.read_bytes())
    data[start : start + length] = b"\xa7" * length
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE documents SET text = replace(text, 'ferry', 'fairy') WHERE title = x'5469746c652033'", "document"),
        ("UPDATE pages SET end_offset = end_offset + 1 WHERE number = 1 AND reading = 3", "reading 3"),
        ("UPDATE calls SET reply = x'61' WHERE key = 'call 5'", "none"),
        ("UPDATE answers SET support = NULL WHERE id = 4", "answer 4"),
        ("UPDATE cards SET title = x'41'", "card"),
        ("DELETE FROM readings", "pages that belong to one of readings that is missing"),
    ],
)
def test_what_was_changed_behind_our_back_is_found(filled: Path, change: str, said: str) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None)) as connection:
        connection.execute(change)
    with Library(filled) as library:
        problems = library.check()
    assert any(said in problem for problem in problems) or (said == "none" and not problems)


def test_a_backup_is_complete_and_private_and_replaces_nothing(filled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with Library(filled) as library:
        library.put("last", "m", Ask("gist", "p"), Reply("only in the log so far"))
        size = library.backup(copy)
        documents = library.documents()
        with pytest.raises(UsageError, match="exists"):
            library.backup(copy)
        with pytest.raises(UsageError, match="the library itself"):
            library.backup(filled, force=True)
        for suffix in ("-wal", "-journal"):
            with pytest.raises(UsageError, match="a file of the library"):
                library.backup(Path(f"{filled}{suffix}"), force=True)
        assert library.backup(copy, force=True) == size == copy.stat().st_size
    assert sorted(tmp_path.iterdir()) == [copy, tmp_path / "home"]
    if os.name != "nt":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with Library(copy) as library:
        assert library.documents() == documents
        assert library.get("last") is not None
        assert library.check() == []


def test_repair_saves_everything_but_what_was_damaged(filled: Path) -> None:
    with Library(filled) as library:
        before = {row.id: library.memory(row.id) for row in library.documents()}
    scribble(filled, filled.stat().st_size // 2 // 4096 * 4096, 4096)
    with Library(filled) as library:
        assert library.check()
        done = library.repair()
        assert library.check() == []
        after = {row.id: library.memory(row.id) for row in library.documents()}
    assert Path(done.damaged_file) == filled.with_name("library.db.damaged-1")
    assert Path(done.damaged_file).exists()
    assert done.saved["documents"] == len(after) >= 8
    assert done.saved["answers"] >= 8
    assert done.saved["replies"] >= 8
    assert all(memory is None or memory == before[name] for name, memory in after.items())


def test_repair_reads_around_several_damaged_places(filled: Path) -> None:
    pages = filled.stat().st_size // 4096
    with closing(sqlite3.connect(filled)) as connection:
        roots = {root for (root,) in connection.execute("SELECT rootpage FROM sqlite_master")}
    for page in range(pages // 3, pages, pages // 9):
        if page + 1 not in roots:
            scribble(filled, page * 4096, 4096)
    before = filled.read_bytes()
    with Library(filled) as library:
        done = library.repair()
        assert library.check() == []
        assert library.search("ferry", limit=5)
    assert Path(done.damaged_file).read_bytes() == before
    assert done.left_out
    assert done.saved["documents"] >= 6


def test_where_nothing_can_be_read_the_file_stays_as_it_is(filled: Path) -> None:
    scribble(filled, 0, 4096)
    before = filled.read_bytes()
    with Library(filled) as library:
        with pytest.raises(DamagedLibraryError, match="is damaged, or not a library") as told:
            library.documents()
        assert "restore your backup" in told.value.hint
        with pytest.raises(DamagedLibraryError, match="nothing in it can be read"):
            library.repair()
    assert filled.read_bytes() == before
    assert [file.name for file in filled.parent.iterdir()] == ["library.db"]


def test_a_library_that_another_process_is_using_is_not_repaired(tmp_path: Path) -> None:
    with start("put_for_ever", tmp_path) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with Library(tmp_path) as library, pytest.raises(BusyLibraryError):
            library.repair()
        child.kill()


def test_compact_frees_the_space_of_removed_documents(filled: Path) -> None:
    with Library(filled) as library:
        for row in library.documents()[2:]:
            library.remove(row.id)
        library.forget_calls()
        assert library.empty_trash() == 10
        before, unused = library.size(), library.info().unused
        freed = library.compact()
        assert freed == before - library.size() >= unused > 0
        assert library.info().unused == 0
        assert len(library.documents()) == 2
        assert library.check() == []


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
        again = one.copy_to(two)
        assert (again.copied, again.rows, again.digest) == (0, copy.rows, copy.digest)
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
