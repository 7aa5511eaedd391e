"""Servers that repeat the key in their errors: it is not logged, and ours does not reach a caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from doors.proxying import RunningProxy, said
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import ErrorResponse

pytestmark = pytest.mark.slow
LONG = [said("user", "Who painted the door?\n\n" + "The boat left the harbour before the rain. " * 4000)]
SHORT = [said("user", "Hello")]


@contextmanager
def refused(home: Path, key: str, status: int, **options: Any) -> Iterator[RunningProxy]:
    """A proxy for a server that refuses everything, and repeats a key."""

    def refuse(prompt: str, constraint: dict[str, Any] | None) -> str:
        raise ErrorResponse(status, f"no such thing {key} here")

    with LoopbackServer(refuse, window=8192).in_thread() as server:
        proxy = RunningProxy(home, server.base_url, **options)
        try:
            yield proxy
        finally:
            proxy.stop()


@pytest.mark.parametrize(("status", "header", "length"), [(400, "authorization", 9000), (404, "x-auth-token", 20)])
def test_a_key_that_the_server_repeats_is_not_logged(
    own_home: Path, caplog: pytest.LogCaptureFixture, status: int, header: str, length: int
) -> None:
    caplog.set_level("DEBUG")
    key = "sk-" + ("abcdefgh12345678" * 600)[:length]
    with refused(own_home, key, status) as proxy:
        reply = proxy.chat(LONG, headers={header: f"Bearer {key}" if header == "authorization" else key})
    assert reply.status_code >= 400
    lines = [one.getMessage() for one in caplog.records if one.name.startswith("readagent")]
    shown = [*lines, repr(dict(reply.headers)), *(repr(one) for one in proxy.proxy.last)]
    assert lines
    assert not any("abcdefgh12345678" in line for line in shown)


@pytest.mark.parametrize(("status", "messages"), [(400, SHORT), (401, LONG)])
def test_our_own_key_does_not_reach_a_caller(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, status: int, messages: list[dict[str, Any]]
) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "sk-of-the-proxy-itself")
    with refused(own_home, "sk-of-the-proxy-itself", status) as proxy:
        reply = proxy.chat(messages)
        theirs = proxy.chat(SHORT, key="sk-of-a-caller-1234")
    assert reply.status_code == status
    assert "no such thing [key] here" in reply.text
    assert "sk-of-the-proxy" not in reply.text + repr(dict(reply.headers))
    assert "sk-of-the-proxy-itself" in theirs.text, "an error for a caller's own key is passed on as it is"


def test_a_short_key_of_ours_does_not_spoil_an_error(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAGENT_API_KEY", "e")
    with refused(own_home, "e", 400) as proxy:
        assert proxy.chat(SHORT).json()["error"]["message"] == "no such thing [key] here"
