"""A page of the file that was replaced by another one is told, whichever table or index it belongs to."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from library.processes import start
from library.test_upkeep import fill
from readagent.core.model import Ask, Reply
from readagent.errors import DamagedLibraryError, LibraryError
from readagent.library import Library

PAGE = 4096


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    home = tmp_path_factory.mktemp("closed")
    with Library(home) as library:
        fill(library)
    return (home / "library.db").read_bytes()


def looks(library: Library) -> Iterator[Callable[[], object]]:
    """Yield what the commands that read a library do."""
    yield library.documents
    yield lambda: library.search("ferry", limit=500)
    yield lambda: library.search("document", limit=500)
    yield lambda: [library.memory(row.id) for row in library.documents()]
    yield library.answers
    yield lambda: [library.get(f"call {number}") for number in range(12)]
    yield lambda: (library.shelves.all(), library.shelves.cards("ferries"))
    yield lambda: library.shelves.search("ferries", ["ferry"], 10)


def seen(home: Path) -> list[object]:
    """Return what each look shows, or the error that it ends in."""
    shown: list[object] = []
    with Library(home) as library:
        for look in looks(library):
            try:
                shown.append(look())
            except LibraryError as error:
                shown.append(error)
    return shown


def replaced(data: bytes, at: int, by: int) -> bytes:
    return data[: at * PAGE] + data[by * PAGE : (by + 1) * PAGE] + data[(at + 1) * PAGE :]


@pytest.mark.slow
def test_every_page_that_is_replaced_is_told(closed: bytes, tmp_path: Path) -> None:
    draw, pages = random.Random(16), len(closed) // PAGE
    (tmp_path / "library.db").write_bytes(closed)
    with closing(sqlite3.connect(tmp_path / "library.db")) as connection:
        (own,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sums'").fetchone()
    for at in set(range(pages)) - {own - 1}:  # the page with the checksum holds nothing else
        by = draw.choice([other for other in range(pages) if replaced(closed, at, other) != closed])
        harmed = replaced(closed, at, by)
        (tmp_path / "library.db").write_bytes(harmed)
        with Library(tmp_path) as library, pytest.raises(DamagedLibraryError):
            library.search("ferry")
        assert (tmp_path / "library.db").read_bytes() == harmed


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="whether a library is in use is not known on Windows")
def test_pages_replaced_after_a_kill_are_told_or_change_nothing(
    closed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readagent.library.file_state._CLOSING", 0)
    home = tmp_path / "home"
    home.mkdir()
    (home / "library.db").write_bytes(closed)
    with start("put_for_ever", home) as child:
        assert child.stdout is not None
        child.stdout.readline()
        child.kill()
    shutil.copytree(home, tmp_path / "killed")
    expected, told = seen(home), 0
    draw, pages = random.Random(17), len(closed) // PAGE
    for _ in range(25):
        shutil.rmtree(home)
        shutil.copytree(tmp_path / "killed", home)
        file = home / "library.db"
        file.write_bytes(replaced(file.read_bytes(), draw.randrange(1, pages), draw.randrange(1, pages)))
        shown = seen(home)
        errors = [isinstance(one, LibraryError) for one in shown]
        assert [one for one, error in zip(shown, errors, strict=True) if not error] == [
            one for one, error in zip(expected, errors, strict=True) if not error
        ]
        told += any(errors)
    assert told > 12


def test_what_another_program_writes_is_no_damage(closed: bytes, tmp_path: Path) -> None:
    (tmp_path / "library.db").write_bytes(closed)
    before = seen(tmp_path)
    with closing(sqlite3.connect(tmp_path / "library.db")) as other:
        other.execute("CREATE TABLE notes (text TEXT)")
        other.commit()
    assert seen(tmp_path) == before


def test_a_copy_and_a_backup_have_valid_checksums(closed: bytes, tmp_path: Path) -> None:
    (tmp_path / "library.db").write_bytes(closed)
    with Library(tmp_path) as library:
        library.put("k", "m", Ask("gist", "p"), Reply("r"))
        library.backup(tmp_path / "backup.db")
        library.compact()
    for name in ("library.db", "backup.db"):
        data = (tmp_path / name).read_bytes()
        with Library(tmp_path / name) as library:
            assert library.check() == []
        (tmp_path / name).write_bytes(replaced(data, 3, 4))
        with Library(tmp_path / name) as library, pytest.raises(DamagedLibraryError, match="checksum"):
            library.documents()
