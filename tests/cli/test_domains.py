"""`readagent domain`, and the effect of `--domain` on a reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console, prompts
from readagent.domains import domain
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def mine(own_home: Path) -> Path:
    folder = own_home / "domains"
    folder.mkdir(parents=True)
    return folder


def test_list_and_show(console: Console, mine: Path) -> None:
    (mine / "logs.txt").write_text("Keep every hour.")
    (mine / "bad.txt").write_bytes(b"\xff")
    result = console.done("domain", "list")
    assert [line.split()[0] for line in result.out.splitlines()] == ["code", "law", "logs", "meetings", "papers"]
    assert "Keep every hour. (yours)" in result.out
    assert f"note: the domain file {mine / 'bad.txt'} is not UTF-8 (byte 1)" in result.err
    assert str(mine) in result.err.splitlines()[-1]
    records = {record["name"]: record for record in console.done("domain", "list", "--json").json}
    assert records["logs"] == {
        "name": "logs",
        "yours": True,
        "path": str(mine / "logs.txt"),
        "instructions": "Keep every hour.",
    }
    assert records["law"]["yours"] is False
    assert console.done("domain", "show", "law").out == domain("law") + "\n"
    assert console.done("domain", "show", "law", "--json").json["instructions"] == domain("law")
    assert "did you mean 'logs'?" in console.fails("domain", "show", "log")
    assert "is not UTF-8" in console.fails("domain", "show", "bad")


@pytest.mark.slow
def test_the_instructions_are_stored_with_the_reading(
    console: Console, server: LoopbackServer, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console.done("read", "story.txt", "--domain", "law")
    gists = [prompt for prompt in prompts(server.requests) if "<passage>" in prompt and domain("law") in prompt]
    assert len(gists) == 2  # windows in one pass
    shown = console.done("show", "story.txt", "--json").json
    assert (shown["domain"], shown["instructions"]) == ("law", domain("law"))
    assert console.done("show", "story.txt").out.splitlines()[1] == "domain: law"
    assert console.done("export", "story.txt").json["plan"]["instructions"] == domain("law")
    server.requests.clear()
    console.done("ask", "story.txt", "Who is Irma?")
    assert not any("<passage>" in prompt for prompt in prompts(server.requests)), "it was read again"
    (desk / "mine.txt").write_text("Keep the weather.")
    monkeypatch.setenv("READAGENT_DOMAIN", "mine.txt")
    console.done("read", "story.txt")
    assert console.done("show", "story.txt", "--json").json["instructions"] == "Keep the weather."
    assert console.done("show", "story.txt").out.splitlines()[1] == "domain: Keep the weather."
    console.done("read", "story.txt", "--domain", "")
    assert console.done("show", "story.txt", "--json").json["instructions"] == ""
