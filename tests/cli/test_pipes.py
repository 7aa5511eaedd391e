"""Closed pipes and full disks, and what is logged: one line, and nothing a terminal would obey."""

from __future__ import annotations

import logging
import os
import re
import subprocess

import pytest

from cli.console import LIMIT, Console, command, running
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def read(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")


@pytest.mark.slow
@pytest.mark.usefixtures("read")
def test_a_closed_pipe_ends_the_command_quietly() -> None:
    for arguments in (["show", "story", "--all"], ["show", "story", "--all", "--json"], ["export", "story"], ["list"]):
        with running(*arguments) as child:
            assert child.stdout is not None
            child.stdout.close()
            _, err = child.communicate(timeout=LIMIT)
        assert err == "", arguments
        assert child.returncode == 1


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a redirection, such as ``>&-``."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {line}', "sh", *command(*arguments)],
        capture_output=True, text=True, env=os.environ, check=False, timeout=LIMIT,
    )  # fmt: skip


@pytest.mark.usefixtures("read")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_output_on_a_full_disk() -> None:
    ended = shell("> /dev/full", *["list"])
    assert ended.returncode == 1
    assert ended.stderr == "error: cannot write the output: no space left on device\n"


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.usefixtures("read")
@pytest.mark.skipif(os.name == "nt", reason="this system has no sh")
def test_no_standard_output_input_or_error() -> None:
    assert shell(">&-", "list").returncode == 0
    assert shell("<&-", "chat", "story").returncode == 0
    assert shell("<&-", "remove", "story").stderr.startswith("error: cannot ask for confirmation to remove The Second")
    assert shell("<&-", "read", "-").stderr == "error: there is no standard input\nhint: give a file instead\n"
    assert shell("2>&-", "read", "nowhere.txt").returncode == 1
    assert shell("2>&-", "ask", "story", "Who is Irma?").stdout


def test_verbose_logs_requests(console: Console, server: LoopbackServer) -> None:
    assert "DEBUG" not in console.done("read", "story.txt").err
    logged = console.done("read", "meeting.txt", "-v").err
    assert f"DEBUG readagent.models.http: POST {server.base_url}/chat/completions: HTTP 200" in logged
    assert "DEBUG" not in console.done("ask", "meeting.txt", "Who?").err  # the next command logs nothing


def test_the_environment_sets_the_level(
    console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_LOG", "info")
    server.faults = Faults(planned=["429"])
    server._retry_after = 7
    logged = console.done("read", "meeting.txt").err
    assert re.search(r"INFO readagent\.models\.waiting: waiting [78] s: ", logged)
    assert "DEBUG" not in logged
    monkeypatch.setenv("READAGENT_LOG", "debug")
    assert "DEBUG readagent.models.http: POST " in console.done("read", "story.txt").err
    monkeypatch.setenv("READAGENT_LOG", "loud")
    assert console.fails("list") == "error: READAGENT_LOG must be one of debug, info, warning, error, not 'loud'\n"


def test_what_is_logged_cannot_control_a_terminal(
    console: Console, monkeypatch: pytest.MonkeyPatch, server: LoopbackServer
) -> None:
    def complain(*_: object) -> None:
        logging.getLogger("readagent.models.http").debug("from the server: \x1b[2J")

    monkeypatch.setattr("readagent.cli.commands.list.existing_library", complain)
    monkeypatch.setenv("READAGENT_LOG", "debug")
    assert "from the server: ␛[2J" in console("list").err
