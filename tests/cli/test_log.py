"""`-v` and READAGENT_LOG: requests and waits on standard error, and nothing a terminal would obey."""

from __future__ import annotations

import logging
import re

import pytest

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer


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
