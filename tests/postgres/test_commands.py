"""The commands and the MCP server with READAGENT_LIBRARY=postgresql://…: they work as on a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import console
from cli.console import Console
from doors.mcp_clients import STORY, raw
from readagent.library import Library
from readagent.testing.loopback import LoopbackServer
from web.fixtures import model

pytestmark = pytest.mark.slow
__all__ = ["console", "model"]


@pytest.fixture(autouse=True)
def on_postgres(postgres_url: str, model: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all commands use the library on the server, and the scripted model."""
    monkeypatch.setenv("READAGENT_LIBRARY", postgres_url)
    monkeypatch.setenv("READAGENT_MODEL", "skimmer")
    monkeypatch.setenv("READAGENT_BASE_URL", model.base_url)


def test_a_session_of_commands(console: Console, model: LoopbackServer, own_home: Path) -> None:
    answer = console.done("ask", STORY, "What was in the biscuit tin?", "--json").json
    calls = len(model.requests)
    again = console.done("ask", STORY, "What was in the biscuit tin?", "--json").json
    assert again["answer"] == answer["answer"]
    assert len(model.requests) == calls
    (listed,) = console.done("list", "--json").json
    assert listed["questions"] == 2
    assert "biscuit" in console.done("find", "biscuit tin").out
    assert console.done("show", "story.txt").out
    assert console.done("library", "check").out.endswith("is intact\n")
    console.done("remove", "story.txt", "--yes")
    assert console.done("library", "compact", "--json").json["size"] > 0
    assert console.done("list", "--json").json == []
    assert not (own_home / "library.db").exists()


def test_an_mcp_client_reads_and_asks(postgres_url: str, model: LoopbackServer) -> None:
    with raw("--allow", STORY.parent, "--model", "skimmer", "--base-url", model.base_url) as client:
        document = client.call("read_document", path="story.txt")["structuredContent"]["document"]
        answer = client.call("ask", document=document, question="What was in the biscuit tin?")
    assert answer["structuredContent"]["quotes"]
    with Library(postgres_url) as library:
        assert len(library.answers(document)) == 1
