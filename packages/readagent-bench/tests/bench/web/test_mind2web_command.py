"""`readagent bench run mind2web` as a user types it, against a server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.web.clerk import answer
from bench.web.recorded import write
from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def console(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    write(tmp_path / "data", {"test_website": 3}, (6, 40))
    monkeypatch.chdir(tmp_path)
    return Console(capsys, monkeypatch)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    with LoopbackServer(answer, constrain="none", models=("clerk", "vectors")).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "clerk")
        yield server


def command(*more: object) -> list[object]:
    return ["bench", "run", "mind2web", "--data", "data", "--split", "test_website", "--window", 8000, *more]


@pytest.mark.slow
def test_a_run_is_shown_and_reported_and_repeats_no_call(
    console: Console, server: LoopbackServer, tmp_path: Path
) -> None:
    shown = console.done(*command("--methods", "raw,bm25:1,gistmem,readagent-p:5,mindact"))
    lines = shown.out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:7]] == [
        "Raw HTML", "BM25 Top-1", "GistMem", "ReadAgent-P 1-5", "MindAct",
    ]  # fmt: skip
    assert lines[-1] == "with the figures of the paper: runs/mind2web/report.md"
    report = (tmp_path / "runs/mind2web/report.md").read_text("utf-8")
    assert "12 steps of 3 tasks" in report
    assert "element (paper)" in report
    asked = len(server.requests)
    again = console.done(*command("--methods", "raw,bm25:1,gistmem,readagent-p:5,mindact"))
    assert again.out == shown.out
    assert len(server.requests) == asked
    assert "has a run with different plan" in console.fails(
        *command("--methods", "raw,bm25:1,gistmem,readagent-p:5,mindact", "--page-words", 60)
    )


def test_an_impossible_run_is_one_line(console: Console, server: LoopbackServer) -> None:
    assert "no files of the split" in console.fails(*command("--split", "test_domain"))
    assert "unknown method 'magic'" in console.fails(*command("--methods", "magic"))
    assert "invalid ranker" in console.fails(*command("--methods", "raw", "--ranker", "magic"))
    assert "splits: test_task, " in console.fails(*command("--split", "dev"))
    assert "--memory-words is for texts" in console(*command("--memory-words", 400)).err
    estimated = ("bench", "estimate", "mind2web", "--data", "data", "--split", "test_website")
    assert "no estimates for mind2web" in console.fails(*estimated)
