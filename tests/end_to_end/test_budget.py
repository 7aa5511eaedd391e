"""A budget stops cleanly, paid replies are kept, and a larger budget continues without paying again."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console, prompts
from readagent import Budget, Document, Library, ReadAgent, load
from readagent.core.tokens import estimate_tokens
from readagent.errors import BudgetExceededError
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

STORY = EXAMPLES / "story.txt"


def test_a_budget_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    console = Console(capsys, monkeypatch)
    with LoopbackServer().in_thread() as server:
        arguments = ["read", STORY, "--base-url", server.base_url]
        said = console.fails(*arguments, "--max-tokens", "10000")
        assert said.startswith("error: the budget of 10,000 tokens is too small for the next call")
        assert "hint: nothing is lost: to continue, run the same again with a larger budget (--max-tokens)" in said
        paid = prompts(server.requests)
        assert paid
        assert len(prompts(server.requests)) == len(server.requests)
        read = console.done(*arguments, "--max-tokens", "1000000", "--json").json
    everything = prompts(server.requests)
    assert len(everything) == len(set(everything)) == sum(read["calls"].values())


def test_the_budget_is_not_exceeded(library: Library) -> None:
    document: Document = load(STORY)
    with LoopbackServer().in_thread() as server:
        for limit in (4_000, 8_000, 8_000):
            server.requests.clear()
            agent = ReadAgent("skimmer", base_url=server.base_url, library=library, budget=Budget(tokens=limit))
            with agent, pytest.raises(BudgetExceededError):
                agent.read(document)
            tokens = sum(estimate_tokens(request.prompt) for request in server.requests)
            assert 0 < tokens <= limit + 150 * len(server.requests)  # the server may count a constraint as more tokens


def test_a_cost_limit_needs_a_price(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(capsys, monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    said = console.fails("read", STORY, "--model", "openai/gpt-99", "--max-cost", "1")
    assert said.startswith("error: the price of ")
