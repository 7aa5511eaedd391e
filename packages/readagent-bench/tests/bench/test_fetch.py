"""Downloading data sets: once, and resumed after an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.hub import Hub, serving
from cli.console import Console
from readagent.errors import ConnectionFailedError, RejectedError
from readagent_bench.cli.fetch import OFFERS, fetch_file
from readagent_bench.datasets import DATASETS

BIG = bytes(range(256)) * 3000
SMALL = b'{"a": 1}\n'


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub({"/val.jsonl": BIG, "/test.jsonl": SMALL})) as served:
        yield served


def test_every_data_set_but_own_can_be_downloaded() -> None:
    assert {name for name in DATASETS if name.partition("-")[0] not in OFFERS} == {"own"}
    assert all(base.startswith("https://") and base.endswith("/") for base, _ in OFFERS.values())


def test_files_are_downloaded_once(hub: Hub, console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OFFERS, "qmsum", (f"{hub.url}/", ("val.jsonl", "test.jsonl")))
    shown = console.done("bench", "fetch", "qmsum", "--data", tmp_path, "--yes").out
    assert f"licence: {DATASETS['qmsum'].licence}" in shown
    assert shown.endswith("downloaded: val.jsonl, test.jsonl\n")
    assert {path.name: path.read_bytes() for path in (tmp_path / "qmsum").iterdir()} == {
        "val.jsonl": BIG,
        "test.jsonl": SMALL,
    }
    asked = len(hub.ranges)
    assert console.done("bench", "fetch", "qmsum", "--data", tmp_path).out.endswith("nothing new to download\n")
    assert len(hub.ranges) == asked


def test_an_interrupted_download_is_resumed(hub: Hub, tmp_path: Path) -> None:
    hub.breaks = [100_000]
    file = tmp_path / "qmsum" / "val.jsonl"
    with pytest.raises(ConnectionFailedError):
        fetch_file(f"{hub.url}/val.jsonl", file, lambda _: None)
    assert not file.exists()
    fetch_file(f"{hub.url}/val.jsonl", file, lambda _: None)
    assert hub.ranges[1] == "bytes=100000-"
    assert file.read_bytes() == BIG


def test_a_missing_file_is_an_error_that_says_how_to_download_by_hand(hub: Hub, tmp_path: Path) -> None:
    hub.statuses = [404]
    with pytest.raises(RejectedError) as caught:
        fetch_file(f"{hub.url}/val.jsonl", tmp_path / "val.jsonl", lambda _: None)
    assert "HTTP 404" in str(caught.value)
    assert caught.value.hint.endswith(f"download {hub.url}/val.jsonl by hand to {tmp_path / 'val.jsonl'}")
