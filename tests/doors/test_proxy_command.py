"""`readagent proxy` as a process: it starts with one line, says what became of each request, and stops when asked to."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from cli.console import LIMIT, Console, running
from doors.proxying import CHAT, WINDOW, prose, said
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def model() -> Iterator[LoopbackServer]:
    with LoopbackServer(window=WINDOW).in_thread() as server:
        yield server


@pytest.fixture
def console(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: LoopbackServer
) -> Console:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    return Console(capsys, monkeypatch)


@pytest.mark.slow
def test_it_serves_until_it_is_stopped(console: Console, own_home: Path) -> None:
    with running("proxy", "--port", "0") as child:
        assert child.stdout is not None
        found = re.search(r"The proxy is at (http://\S+)/v1", child.stdout.readline())
        assert found is not None
        body = {"model": "skimmer", "messages": [said("user", f"Who mended the net?\n\n{prose(9000)}")]}
        reply = httpx2.post(f"{found[1]}{CHAT}", json=body, headers={"authorization": "Bearer sk-secret"}, timeout=60)
        assert reply.headers["x-readagent-compressed"] == "yes"
        child.send_signal(signal.SIGTERM)
        _, told = child.communicate(timeout=LIMIT)
    assert child.returncode == 0, told
    assert re.search(
        r"200 /chat/completions skimmer: [\d,]+ tokens, sent [\d,]+, \d+ pages, opened \d+, calls \d+", told
    )
    assert "sk-secret" not in told
    assert (own_home / "library.db").exists()


def test_other_machines_need_a_token_of_the_proxy(console: Console) -> None:
    assert "READAGENT_PROXY_TOKEN" in console.fails("proxy", "--host", "0.0.0.0", "--port", "0")
    short = console.fails("proxy", "--host", "0.0.0.0", "--port", "0", "--token", "short")
    assert "at least 16 characters" in short


def test_it_needs_a_model_server(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("READAGENT_BASE_URL")
    assert "the proxy needs a model server" in console.fails("proxy", "--port", "0", "--model", "local")
