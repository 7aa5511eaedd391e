"""What a user sees of the support of an answer: on the terminal, as JSON, in exports, and without the check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer
from readagent.testing.skim import skim

TEXT = "The council met in the spring. Jakob Brandt promised $1,500 for each family of the valley. Then it rained."
QUOTE = "Jakob Brandt promised $1,500 for each family of the valley."
SAID = f'The families were promised 1,500 dollars each. They never got any of it.\nPage 0: "{QUOTE}"'
FIRST, SECOND = "The families were promised 1,500 dollars each.", "They never got any of it."
INVENT = "What was promised, and believed?"
INVENTED = f'{FIRST}\nPage 0: "{QUOTE}"\nPage 0: "Nobody in the valley believed a word of it."'
ASK = ("ask", "council.txt", "What was promised?")


def answering(prompt: str, constraint: Mapping[str, Any] | None) -> str:
    if "<statements>" in prompt:
        return "1: yes [1]\n2: no"
    if constraint is None and "word for word" in prompt:
        return INVENTED if INVENT in prompt else SAID
    return skim(prompt, constraint)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    Path("council.txt").write_text(TEXT, "utf-8")
    with LoopbackServer(answering).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server


def checks(server: LoopbackServer) -> int:
    return sum("<statements>" in request.prompt for request in server.requests)


def test_the_terminal_names_what_is_not_supported(console: Console, server: LoopbackServer) -> None:
    shown = console.done(*ASK).out
    assert f'  "{QUOTE}"' in shown
    assert "checked: 1 of 2 statements supported\n" in shown
    assert f"  not supported by a quote: {SECOND}\n" in shown
    assert checks(server) == 1


@pytest.mark.parametrize("command", [ASK], ids=["document"])
def test_without_the_check_no_call_is_made(command: tuple[str, ...], console: Console, server: LoopbackServer) -> None:
    console.done("shelf", "add", "papers", "council.txt")
    answer = console.done(*command, "--no-check", "--json").json
    assert "check" not in answer["calls"]
    assert checks(server) == 0
    assert {one["state"] for one in answer["statements"]} <= {"quoted", "unsupported"}
    assert (answer["checked_by"], answer["verified"]) == ("rules", False)
    assert "checked, by rules only: 0 of 2 statements supported\n" in console.done(*command, "--no-check").out
    assert "check" in console.done(*command, "--json").json["calls"]
