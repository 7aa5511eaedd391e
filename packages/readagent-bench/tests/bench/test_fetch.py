"""Downloading data sets: once, and resumed after an interruption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.console import Console
from loaders.web_server import Page, WebServer, web_server
from readagent.errors import ConnectionFailedError, RejectedError
from readagent_bench.cli.fetch import OFFERS, fetch_file
from readagent_bench.datasets import DATASETS

BIG = bytes(range(256)) * 3000
SMALL = b'{"a": 1}\n'


@pytest.fixture
def hub() -> Iterator[WebServer]:
    with web_server() as served:
        served.pages |= {"/val.jsonl": Page(BIG), "/test.jsonl": Page(SMALL)}
        yield served


def test_every_data_set_but_own_can_be_downloaded() -> None:
    assert {name for name in DATASETS if name.partition("-")[0] not in OFFERS} == {"own"}
    assert all(base.startswith("https://") and base.endswith("/") for base, _ in OFFERS.values())


def test_files_are_downloaded_once(
    hub: WebServer, console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OFFERS, "qmsum", (f"{hub.address}/", ("val.jsonl", "test.jsonl")))
    shown = console.done("bench", "fetch", "qmsum", "--data", tmp_path, "--yes").out
    assert f"licence: {DATASETS['qmsum'].licence}" in shown
    assert shown.endswith("downloaded: val.jsonl, test.jsonl\n")
    assert {path.name: path.read_bytes() for path in (tmp_path / "qmsum").iterdir()} == {
        "val.jsonl": BIG,
        "test.jsonl": SMALL,
    }
    asked = len(hub.requests)
    assert console.done("bench", "fetch", "qmsum", "--data", tmp_path).out.endswith("nothing new to download\n")
    assert len(hub.requests) == asked


def test_an_interrupted_download_is_resumed(hub: WebServer, tmp_path: Path) -> None:
    hub.pages["/val.jsonl"] = Page(BIG[:100_000], headers={"Content-Length": str(len(BIG))})
    file = tmp_path / "qmsum" / "val.jsonl"
    with pytest.raises(ConnectionFailedError):
        fetch_file(f"{hub.address}/val.jsonl", file, lambda _: None)
    assert not file.exists()
    hub.pages["/val.jsonl"] = Page(BIG[100_000:], 206)
    fetch_file(f"{hub.address}/val.jsonl", file, lambda _: None)
    assert hub.requests[1][1]["range"] == "bytes=100000-"
    assert file.read_bytes() == BIG


def test_a_missing_file_is_an_error_that_says_how_to_download_by_hand(hub: WebServer, tmp_path: Path) -> None:
    del hub.pages["/val.jsonl"]
    with pytest.raises(RejectedError) as caught:
        fetch_file(f"{hub.address}/val.jsonl", tmp_path / "val.jsonl", lambda _: None)
    assert "HTTP 404" in str(caught.value)
    assert caught.value.hint.endswith(f"download {hub.address}/val.jsonl by hand to {tmp_path / 'val.jsonl'}")
