"""The write-ahead log: a library whose log is lost or damaged is not shown as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from library.processes import start
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.errors import DamagedLibraryError
from readagent.library import Library

WAIT = "readagent.library.file_state._CLOSING"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A library whose process was killed: the latest changes are in the log."""
    home = tmp_path / "home"
    with start("put_for_ever", home) as child:
        assert child.stdout is not None
        for _ in range(60):  # enough that the damage of a test is seldom behind all that it looks for
            child.stdout.readline()
        child.kill()
    assert (home / "library.db-wal").stat().st_size
    return home / "library.db"


def test_a_closed_library_is_one_private_file(tmp_path: Path) -> None:
    with Library(tmp_path) as library, Library(tmp_path) as other:
        library.add(Document.from_text("One."))
        other.add(Document.from_text("Two."))
        private = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["library.db", "library.db-reserve"]
    assert set(private) == {"library.db", "library.db-wal", "library.db-shm", "library.db-reserve"}
    if os.name != "nt":
        assert set(private.values()) == {0o600}
        (tmp_path / "library.db").chmod(0o664)
        with Library(tmp_path) as library:
            assert len(library.documents()) == 2
        assert stat.S_IMODE((tmp_path / "library.db").stat().st_mode) == 0o600


def test_a_copy_of_the_file_alone_is_the_whole_library(tmp_path: Path) -> None:
    with Library(tmp_path / "home") as library:
        library.add(Document.from_text("One."))
    shutil.copy(tmp_path / "home" / "library.db", tmp_path)
    with Library(tmp_path) as copy:
        assert len(copy.documents()) == 1


@pytest.mark.parametrize("also", [""])
def test_a_missing_log_is_told(killed: Path, monkeypatch: pytest.MonkeyPatch, also: str) -> None:
    monkeypatch.setattr(WAIT, 0)
    log = killed.with_name("library.db-wal")
    elsewhere = shutil.move(log, killed.parent.parent)
    if also:
        killed.with_name(f"library.db{also}").unlink()
    before = killed.read_bytes()
    for use in (lambda library: library.documents(), lambda library: library.put("k", "m", Ask("s", "p"), Reply("r"))):
        with (
            Library(killed) as library,
            pytest.raises(DamagedLibraryError, match=r"library.db-wal.* is missing") as told,
        ):
            use(library)
        assert "readagent library repair" in told.value.hint
    assert killed.read_bytes() == before
    shutil.move(elsewhere, log)
    with Library(killed) as library:
        assert library.get("29") is not None


def test_repair_continues_without_a_lost_log(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WAIT, 0)
    killed.with_name("library.db-wal").unlink()
    with Library(killed) as library:
        assert library.check() == [f"{killed}-wal, which had the latest changes to {killed}, is missing"]
        library.repair()
        assert library.check() == []
        library.put("k", "m", Ask("s", "p"), Reply("r"))


def cut(data: bytearray, draw: random.Random) -> None:
    del data[draw.randrange(1, len(data)) :]


def zero(data: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(data))
    data[at : at + 512] = bytes(len(data[at : at + 512]))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the log is not checked on Windows")
@pytest.mark.parametrize("harm", [cut, zero])
def test_a_damaged_log_is_told_or_everything_is_there(killed: Path, harm: Callable[..., None]) -> None:
    log, kept, told = killed.with_name("library.db-wal"), killed.parent.parent / "kept", 0
    shutil.copytree(killed.parent, kept)
    for seed in range(36):
        shutil.rmtree(killed.parent)
        shutil.copytree(kept, killed.parent)
        data = bytearray(log.read_bytes())
        harm(data, random.Random(seed))
        log.write_bytes(data)
        with Library(killed) as library:
            try:
                assert library.get("29") is not None
            except DamagedLibraryError as error:
                assert "library.db-wal" in str(error)  # noqa: PT017
                told += 1
    assert told > 3
