"""Ctrl-C: exit code 130, one line, and replies that arrived are kept and never requested again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli.console import LIMIT, diary, process, prompts, running
from cli.interrupter import Interrupter
from readagent.testing.loopback import LoopbackServer


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send Ctrl-C to one process")
@pytest.mark.parametrize(("verb", "at"), [("read", 1), ("read", 40), ("ask", 7)])
def test_ctrl_c_loses_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch, verb: str, at: int) -> None:
    (desk / "diary.txt").write_text(diary(60))
    arguments = [verb, "diary.txt", *(["Who saw an omen?"] if verb == "ask" else []), "--page-words", "80"]
    interrupter = Interrupter(at)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        with running(*arguments) as child:
            interrupter.watch(child)
            out, err = child.communicate(timeout=LIMIT)
        assert child.returncode == 130
        assert out == ""
        assert err.strip() == "stopped; nothing is lost: run the same command again to continue"
        answered = set(prompts(server.requests))
        server.requests.clear()
        again = process(*arguments)
        assert again.returncode == 0, again.stderr
        assert server.requests
        assert not answered & {request.prompt for request in server.requests}
