"""A run that is killed in a process of its own and resumed: nothing is lost and no call is repeated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from cli.console import command, diary, prompts
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim
from readagent_bench.folder import RunFolder
from readagent_bench.records import Prediction, Reading

METHODS = "readagent-p:2,gistmem,bm25:1,memwalker,full"


class Killer:
    """Kills the child when it asks for the n-th time, before it is answered."""

    def __init__(self) -> None:
        self._known = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._left = 0
        self.unanswered = ""

    def kill(self, at: int, arguments: list[str]) -> int:
        self._known.clear()
        self._left = at
        self._child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
        self._known.set()
        return self._child.wait()

    def answer(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self._left -= 1
        if self._left == 0:
            assert self._known.wait(60)
            assert self._child is not None
            self._child.kill()
            self.unanswered = prompt
        return skim(prompt, constraint)


def data(folder: Path) -> Path:
    folder.mkdir()
    (folder / "log.txt").write_text(diary(30), "utf-8")
    asked = [
        {"document": "log.txt", "question": f"What was counted on day {day}?", "answer": "casks"} for day in (3, 11, 25)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), "utf-8")
    return folder


def said(one: Prediction) -> tuple[object, ...]:
    return one.key, one.text, one.pages, one.context_words, one.spent["words"], one.spent["calls"], one.error


@pytest.mark.slow
def test_killed_half_way_and_resumed(tmp_path: Path) -> None:
    mine, killer = data(tmp_path / "mine"), Killer()
    with LoopbackServer(killer.answer).in_thread() as server:
        flags = ["--base-url", server.base_url, "--model", "skimmer", "--page-words", "200", "--parallel", "1"]
        killed, whole = (
            command("bench", "run", "own", "--data", mine, "--methods", METHODS, "--out", tmp_path / out, *flags)
            for out in ("killed", "whole")
        )
        kept: list[str] = []
        for at in (14, 7, 6):
            server.requests.clear()
            assert killer.kill(at, killed) == -signal.SIGKILL
            asked = {request.prompt for request in server.requests}
            assert not asked & set(kept), "a reply that was received was requested again"
            kept += [prompt for prompt in prompts(server.requests) if prompt != killer.unanswered]
            for name in ("predictions.jsonl", "readings.jsonl", "traces/log.txt.jsonl.gz"):
                _cut(tmp_path / "killed" / name)
        server.requests.clear()
        assert subprocess.run(killed, capture_output=True, env=os.environ, check=False).returncode == 0
        assert server.requests, "the run had ended before the last kill"
        assert not {request.prompt for request in server.requests} & set(kept)
        after = RunFolder(tmp_path / "killed")
        assert len(after.records(Prediction)) == 15
        asked_twice = len(server.requests)
        assert subprocess.run(whole, capture_output=True, env=os.environ, check=False).returncode == 0
        assert len(server.requests) == asked_twice, (
            "another folder with the same run costs nothing: all is in the cache"
        )
    straight = RunFolder(tmp_path / "whole")
    assert sorted(map(said, after.records(Prediction))) == sorted(map(said, straight.records(Prediction)))
    assert {(one.key, one.spent["words"]) for one in after.records(Reading)} == {
        (one.key, one.spent["words"]) for one in straight.records(Reading)
    }
    assert _calls(after) == _calls(straight)


def _calls(folder: RunFolder) -> dict[tuple[object, ...], int]:
    """Return how many calls each prediction took, by its key; of two with the same key the later one counts."""
    return {tuple(line["key"]): len(line["calls"]) for line in folder.traces("log.txt") if not line["reading"]}


def _cut(file: Path) -> None:
    """Leave half of what a kill in the middle of a write could leave of one more line."""
    if file.exists():
        data = file.read_bytes()
        file.write_bytes(data + data[:40])
