"""Downloading data sets: once, resumed after an interruption, compared with the first download."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hub import Hub, serving
from readagent.errors import ConnectionFailedError, DatasetError, RejectedError
from readagent_bench.datasets import DATASETS
from readagent_bench.fetch import OFFERS, SUMS, Offer, Remote, fetch, hashes, offer

BIG = bytes(range(256)) * 3000
SMALL = b'{"a": 1}\n'


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A server with the two files of a data set "tiny"."""
    with serving(Hub({"/big.jsonl": BIG, "/small.jsonl": SMALL})) as served:
        files = (
            Remote("big.jsonl", f"{served.url}/big.jsonl", len(BIG)),
            Remote("small.jsonl", f"{served.url}/small.jsonl"),
        )
        monkeypatch.setitem(
            OFFERS, "tiny", Offer("tiny", "MIT", "https://example.org", files, "the rest, from a friend")
        )
        yield served


def kept(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "tiny").iterdir() if path.name != SUMS}


def sums(folder: Path) -> str:
    return (folder / "tiny" / SUMS).read_text("utf-8")


def test_every_data_set_but_own_can_be_downloaded_and_has_a_licence() -> None:
    assert {name for name in DATASETS if name not in OFFERS} == {"own"}
    for name, known in OFFERS.items():
        printed = known.lines(Path("data"))
        assert any(known.licence in line for line in printed)
        assert any(known.homepage in line for line in printed)
        assert any("SHA-256: not published" in line for line in printed)
        assert f"folder: {Path('data') / name.partition('-')[0]}" in printed
        for file in known.files:
            assert file.url.startswith("https://")
            assert file.url.endswith(f"/{file.name}")
            line = next(line for line in printed if line.startswith(file.name))
            assert "MB" in line or "size unknown" in line
    assert "download_stories.sh" in "\n".join(offer("narrativeqa-books").lines(Path("data")))


def test_files_are_downloaded_once_and_their_hashes_kept(hub: Hub, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    came = fetch("tiny", tmp_path, on_progress=lambda *shown: heard.append(shown))
    assert came == [tmp_path / "tiny" / "big.jsonl", tmp_path / "tiny" / "small.jsonl"]
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}
    assert heard[-1] == ("small.jsonl", len(SMALL), 0)
    assert ("big.jsonl", len(BIG), len(BIG)) in heard
    assert f"{hashlib.sha256(BIG).hexdigest()}  big.jsonl\n" in sums(tmp_path)
    assert hashes("tiny", tmp_path)["small.jsonl"] == hashlib.sha256(SMALL).hexdigest()
    asked = len(hub.ranges)
    assert fetch("tiny", tmp_path) == []
    assert len(hub.ranges) == asked


def test_an_interrupted_download_is_resumed(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [100_000, 0]
    with pytest.raises(ConnectionFailedError):
        fetch("tiny", tmp_path)
    assert not (tmp_path / "tiny" / "big.jsonl").exists()
    fetch("tiny", tmp_path)
    assert hub.ranges[2] == "bytes=100000-"
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}


def test_a_download_that_differs_from_the_first_is_not_kept(hub: Hub, tmp_path: Path) -> None:
    fetch("tiny", tmp_path)
    (tmp_path / "tiny" / "small.jsonl").unlink()
    hub.files["/small.jsonl"] = b"another\n"
    with pytest.raises(DatasetError) as caught:
        fetch("tiny", tmp_path)
    assert "differs from the first download" in str(caught.value)
    assert SUMS in caught.value.hint
    assert kept(tmp_path) == {"big.jsonl": BIG}
    (tmp_path / "tiny" / SUMS).unlink()
    fetch("tiny", tmp_path)
    assert kept(tmp_path)["small.jsonl"] == b"another\n"


def test_a_missing_file_is_an_error_that_says_how_to_download_by_hand(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [404]
    with pytest.raises(RejectedError) as caught:
        fetch("tiny", tmp_path)
    assert "HTTP 404" in str(caught.value)
    assert f"download {hub.url}/big.jsonl by hand" in caught.value.hint
    assert str(tmp_path / "tiny" / "big.jsonl") in caught.value.hint
    assert not (tmp_path / "tiny").exists()
