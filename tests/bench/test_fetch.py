"""Fetching data sets: once, when asked, gone on with after a stop, compared with what came first, or told by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedded.hub import Hub, serving
from readagent.bench.datasets import DATASETS
from readagent.bench.fetch import OFFERS, SUMS, Offer, Remote, fetch, hashes, offer
from readagent.errors import ConnectionFailedError, DatasetError, LiveRequestError, RejectedError, UsageError

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


def test_every_data_set_but_ones_own_is_on_offer_with_its_licence() -> None:
    assert {name for name in DATASETS if name not in OFFERS} == {"own"}
    for name, known in OFFERS.items():
        told = known.lines(Path("data"))
        assert any(known.licence in line for line in told)
        assert any(known.homepage in line for line in told)
        assert any("SHA-256: not published" in line for line in told)
        assert f"to be kept in: {Path('data') / name.partition('-')[0]}" in told
        for file in known.files:
            assert file.url.startswith("https://")
            assert file.url.endswith(f"/{file.name}")
            line = next(line for line in told if line.startswith(file.name))
            assert "MB" in line or "size not known" in line
    assert "download_stories.sh" in "\n".join(offer("narrativeqa-books").lines(Path("data")))


def test_what_is_not_on_offer() -> None:
    with pytest.raises(UsageError) as caught:
        offer("own")
    assert "your own documents" in str(caught.value)
    with pytest.raises(UsageError) as caught:
        fetch("nowhere", Path("data"))
    assert "quality" in caught.value.hint


def test_files_are_fetched_once_and_their_hashes_kept(hub: Hub, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    came = fetch("tiny", tmp_path, tell=lambda *told: heard.append(told))
    assert came == [tmp_path / "tiny" / "big.jsonl", tmp_path / "tiny" / "small.jsonl"]
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}
    assert heard[-1] == ("small.jsonl", len(SMALL), 0)
    assert ("big.jsonl", len(BIG), len(BIG)) in heard
    assert f"{hashlib.sha256(BIG).hexdigest()}  big.jsonl\n" in sums(tmp_path)
    assert hashes("tiny", tmp_path)["small.jsonl"] == hashlib.sha256(SMALL).hexdigest()
    asked = len(hub.ranges)
    assert fetch("tiny", tmp_path) == []
    assert len(hub.ranges) == asked


def test_a_line_that_breaks_is_taken_up_again(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [100_000, 200_000]
    fetch("tiny", tmp_path)
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}
    assert hub.ranges[:3] == [None, "bytes=100000-", "bytes=300000-"]


def test_a_stopped_fetch_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [100_000, 0]
    with pytest.raises(ConnectionFailedError):
        fetch("tiny", tmp_path)
    assert not (tmp_path / "tiny" / "big.jsonl").exists()
    fetch("tiny", tmp_path)
    assert hub.ranges[2] == "bytes=100000-"
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}


def test_a_fetch_that_was_killed_when_all_had_come(hub: Hub, tmp_path: Path) -> None:
    partial = tmp_path / "tiny" / "partial"
    partial.mkdir(parents=True)
    (partial / "big.jsonl").write_bytes(BIG)
    fetch("tiny", tmp_path)
    assert kept(tmp_path) == {"big.jsonl": BIG, "small.jsonl": SMALL}


def test_what_came_otherwise_is_not_kept(hub: Hub, tmp_path: Path) -> None:
    fetch("tiny", tmp_path)
    (tmp_path / "tiny" / "small.jsonl").unlink()
    hub.files["/small.jsonl"] = b"another\n"
    with pytest.raises(DatasetError) as caught:
        fetch("tiny", tmp_path)
    assert "came otherwise than the first time" in str(caught.value)
    assert SUMS in caught.value.hint
    assert kept(tmp_path) == {"big.jsonl": BIG}
    (tmp_path / "tiny" / SUMS).unlink()
    fetch("tiny", tmp_path)
    assert kept(tmp_path)["small.jsonl"] == b"another\n"


def test_what_was_changed_on_disk_is_told(hub: Hub, tmp_path: Path) -> None:
    fetch("tiny", tmp_path)
    (tmp_path / "tiny" / "big.jsonl").write_bytes(BIG[:-1])
    with pytest.raises(DatasetError) as caught:
        fetch("tiny", tmp_path)
    assert "not as it was when it was fetched" in str(caught.value)
    assert kept(tmp_path)["big.jsonl"] == BIG[:-1]


def test_what_was_put_there_by_hand_is_left_alone(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "big.jsonl").write_bytes(b"mine")
    assert fetch("tiny", tmp_path) == [tmp_path / "tiny" / "small.jsonl"]
    assert kept(tmp_path) == {"big.jsonl": b"mine", "small.jsonl": SMALL}
    assert hashlib.sha256(b"mine").hexdigest() in sums(tmp_path)


def test_what_is_not_there_is_told_with_the_way_by_hand(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [404]
    with pytest.raises(RejectedError) as caught:
        fetch("tiny", tmp_path)
    assert "HTTP 404" in str(caught.value)
    assert f"download {hub.url}/big.jsonl by hand" in caught.value.hint
    assert str(tmp_path / "tiny" / "big.jsonl") in caught.value.hint
    assert not (tmp_path / "tiny").exists()


def test_without_a_network_it_is_told_what_to_do_by_hand(tmp_path: Path) -> None:
    with pytest.raises(LiveRequestError) as caught:
        fetch("locomo", tmp_path)
    assert "locomo10.json by hand" in caught.value.hint
    assert not (tmp_path / "locomo").exists()


def test_a_folder_that_cannot_be_written_to(hub: Hub, tmp_path: Path) -> None:
    (tmp_path / "tiny").write_bytes(b"a file")
    with pytest.raises(DatasetError) as caught:
        fetch("tiny", tmp_path)
    assert "cannot be kept" in str(caught.value)
