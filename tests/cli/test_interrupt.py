"""Ctrl-C, and the signals that end a process politely: one line, and nothing that arrived is requested again."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from cli.console import LIMIT, diary, process, prompts, running
from cli.interrupter import Interrupter
from needs import real_weights
from readagent.testing.loopback import LoopbackServer

pytestmark = pytest.mark.slow


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_a_command_and_loses_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (desk / "page.html").write_text(f"<html><body><p>{'</p><p>'.join(diary(30).split(chr(10) * 2))}</p></body></html>")
    number = getattr(signal, name)
    interrupter = Interrupter(9, number)
    with LoopbackServer(interrupter.answer).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        with running("read", "page.html", "--page-words", "80", "--mode", "paper") as child:
            interrupter.watch(child)
            out, err = child.communicate(timeout=LIMIT)
        assert child.returncode == 128 + number
        assert out == ""
        assert [line for line in err.splitlines() if line] == [
            f"sending the text to {server.base_url}",
            "stopped; nothing is lost: run the same command again to continue",
        ]
        answered = set(prompts(server.requests))
        assert len(answered) >= 8
        server.requests.clear()
        assert process("read", "page.html", "--page-words", "80", "--mode", "paper").returncode == 0
        assert not answered & {request.prompt for request in server.requests}
    if sys.platform == "linux":
        assert interrupter.children  # the process that parsed the page
        assert not any(Path(f"/proc/{one}").exists() for one in interrupter.children)


@pytest.mark.weights
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_the_process_of_a_gguf_model_ends_with_a_terminated_command(desk: Path) -> None:
    psutil = pytest.importorskip("psutil")
    (desk / "diary.txt").write_text(diary(60))
    with running("read", "diary.txt", "--model", str(real_weights("smollm2") / "model.gguf")) as child:
        watched, models = psutil.Process(child.pid), []
        while child.poll() is None and not models:
            models = [one for one in watched.children() if "readagent.embedded.child" in one.cmdline()]
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=LIMIT)
    assert models
    assert not psutil.wait_procs(models, timeout=LIMIT)[1]
