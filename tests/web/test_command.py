"""`readagent serve` as a process: it starts with one line, stops within seconds, and goes on where it was."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.console import LIMIT, Console, diary, running
from readagent.testing.loopback import LoopbackServer
from web.running import TOKEN, Client, held

CHILD = ("serve", "--port", "0", "--token", TOKEN)


@pytest.fixture
def console(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: LoopbackServer
) -> Console:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    return Console(capsys, monkeypatch)


@contextmanager
def server(*options: str) -> Iterator[tuple[subprocess.Popen[str], Client]]:
    """Start the command and wait for its address."""
    with running(*CHILD, *options) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        found = re.search(r"(http://\S+/)\?token=(\S+)", line)
        assert found is not None, line + (child.stderr.read() if child.stderr is not None else "")
        assert found[2] == TOKEN
        client = Client(found[1])
        try:
            yield child, client
        finally:
            client.http.close()


def ended(child: subprocess.Popen[str]) -> str:
    """Wait for the end of a server that was asked to stop; return what it said."""
    _, said = child.communicate(timeout=LIMIT)
    assert child.returncode == 0, said
    return said


def begun(client: Client) -> dict[str, Any]:
    document = client.post("/api/documents", {"text": diary(100), "title": "Diary"}, status=201)["id"]
    job: dict[str, Any] = client.post(f"/api/documents/{document}/readings", status=202)
    client.until(f"/api/jobs/{job['id']}", lambda found: found["state"] == "running")
    return job


@pytest.mark.slow
def test_a_killed_server_leaves_its_jobs_to_the_next(
    console: Console, model: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_PRESET", "articles")  # many calls
    with server() as (child, client), held(model, "day 60"):
        job = begun(client)
        client.until(f"/api/jobs/{job['id']}", lambda found: found["calls"] > 0)
        child.kill()
        child.wait(LIMIT)
    with server() as (child, client):
        found = client.ended(job)
        assert found["state"] == "done"
        assert client.get(f"/api/documents/{job['document']}")["read"] == "yes"


@pytest.mark.slow
def test_two_servers_do_not_share_a_library(console: Console) -> None:
    with server():
        assert "another `readagent serve`" in console.fails(*CHILD)
        with server("--read-only") as (_, client):
            assert client.get("/api/documents") == []


def test_a_port_that_is_taken_is_one_clear_line(console: Console) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = console.fails("serve", "--port", port)
    assert f"127.0.0.1:{port}: the port is taken" in said
    assert "--port 0" in said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="browsers are started by other programs elsewhere")
def test_the_token_is_not_among_the_arguments_of_the_browser(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, browser = tmp_path / "opened", tmp_path / "xdg-open"
    os.mkfifo(pipe)
    browser.write_text(f'#!/bin/sh\necho "$@" > {pipe}\n')
    browser.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with server("--open") as (_, client):
        opened = pipe.read_text().strip()
        assert TOKEN not in opened
        assert opened.startswith(client.address)
        assert client.http.get(opened, follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--host", "0.0.0.0"), "READAGENT_SERVE_TOKEN"),
        (("--host", "no-such-host.invalid", "--token", TOKEN), "cannot listen on no-such-host.invalid"),
        (("--host", "300.1.1.1"), "300.1.1.1 is not an IP address"),
    ],
)
def test_other_machines_need_a_token(console: Console, arguments: tuple[str, ...], words: str) -> None:
    assert words in console.fails("serve", "--port", "0", *arguments)


@pytest.mark.slow
def test_a_server_for_other_machines_warns_that_there_is_no_tls(console: Console) -> None:
    with server("--host", "0.0.0.0") as (child, client):
        client.get("/api/status")
        child.send_signal(signal.SIGTERM)
        assert "there is no TLS" in ended(child)


def test_without_the_extra_it_says_how_to_install_it(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readagent.cli.serving.find_spec", lambda name: None)
    said = console.fails("serve")
    assert "needs starlette" in said
    assert said.count("[serve]") == 1


def test_the_page_needs_no_extra_of_agents() -> None:
    code = "import sys; sys.modules['mcp'] = None; import readagent.web.agents, readagent.web.serving, readagent.web.service"
    subprocess.run([sys.executable, "-c", code], check=True)
