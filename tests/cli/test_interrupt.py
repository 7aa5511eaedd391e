"""Ctrl-C: exit code 130, one line, and whatever was answered is kept and never asked for again."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from cli.console import command, diary, process, prompts
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim


class Interrupter:
    """Sends a signal to a process when the server is asked for the n-th time."""

    def __init__(self, at: int) -> None:
        self._at = at
        self._asked = 0
        self._known = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    def watch(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._known.set()

    def answer(self, prompt: str, constraint: dict[str, Any] | None) -> str:
        self._asked += 1
        if self._asked == self._at:
            assert self._known.wait(60)
            assert self._process is not None
            self._process.send_signal(signal.SIGINT)
        return skim(prompt, constraint)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process")
@pytest.mark.parametrize(("verb", "at"), [("read", 1), ("read", 40), ("ask", 7)])
def test_ctrl_c_loses_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch, verb: str, at: int) -> None:
    (desk / "diary.txt").write_text(diary(60))
    arguments = [verb, "diary.txt", *(["Who saw an omen?"] if verb == "ask" else []), "--page-words", "80"]
    interrupter = Interrupter(at)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        child = subprocess.Popen(
            command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        interrupter.watch(child)
        out, err = child.communicate(timeout=60)
        assert child.returncode == 130
        assert out == ""
        assert err.strip() == "stopped; what was done is kept, run the same command again to go on"
        answered = set(prompts(server.requests))
        server.requests.clear()
        again = process(*arguments)
        assert again.returncode == 0, again.stderr
        assert server.requests
        assert not answered & {request.prompt for request in server.requests}
