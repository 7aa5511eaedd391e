"""A budget stops cleanly, what was paid is kept, and a larger budget goes on without paying again."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console, prompts
from readagent import Document, Library, ReadAgent, load
from readagent.errors import BudgetExceededError
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"


@pytest.mark.parametrize(("flag", "limit"), [("--max-tokens", "10000"), ("--max-words", "6000")])
def test_a_budget_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_home: Path, flag: str, limit: str
) -> None:
    console = Console(capsys, monkeypatch)
    with LoopbackServer().in_thread() as server:
        arguments = ["read", STORY, "--base-url", server.base_url]
        said = console.fails(*arguments, flag, limit)
        assert said.startswith(f"error: the budget of {int(limit):,} {flag[6:]} is used up: ")
        assert f"hint: all work is kept: run the same again with a larger {flag}" in said
        paid = prompts(server.requests)
        assert paid
        assert len(prompts(server.requests)) == len(server.requests)
        read = console.done(*arguments, flag, "1000000", "--json").json
    everything = prompts(server.requests)
    assert len(everything) == len(set(everything)) == sum(read["calls"].values())


def test_no_more_is_used_than_was_allowed(library: Library) -> None:
    document: Document = load(STORY)
    with LoopbackServer().in_thread() as server:
        for limit in (3_000, 6_000, 6_000):
            server.requests.clear()
            agent = ReadAgent(server.base_url, model="skimmer", library=library, max_words=limit)
            with agent, pytest.raises(BudgetExceededError):
                agent.read(document)
            words = sum(len(request.prompt.split()) for request in server.requests)
            assert 0 < words <= limit + 100 * len(server.requests)  # a constraint may be told in some more words


def test_a_limit_in_money_needs_a_price(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(capsys, monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    said = console.fails("read", STORY, "--model", "openai/gpt-99", "--max-cost", "1")
    assert said.startswith("error: the price of ")
