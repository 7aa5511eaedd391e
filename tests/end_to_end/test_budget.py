"""A budget stops cleanly, and what was spent is told in full, also for attempts that ended early."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console, diary
from readagent import Budget, Document, Library, Plan, ReadAgent, load
from readagent.core.tokens import estimate_tokens
from readagent.errors import BudgetExceededError, ServerFaultError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import tokens
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, TWO_STEPS

STORY = EXAMPLES / "story.txt"


def test_the_budget_is_not_exceeded(library: Library) -> None:
    document: Document = load(STORY)
    with LoopbackServer().in_thread() as server:
        for limit in (4_000, 8_000, 8_000):
            server.requests.clear()
            agent = ReadAgent("skimmer", base_url=server.base_url, library=library, budget=Budget(tokens=limit))
            with agent, pytest.raises(BudgetExceededError):
                agent.read(document, plan=TWO_STEPS)
            tokens = sum(estimate_tokens(request.prompt) for request in server.requests)
            assert 0 < tokens <= limit + 150 * len(server.requests)  # the server may count a constraint as more tokens


def test_a_cost_limit_needs_a_price(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(capsys, monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    result = console("read", STORY, "--model", "openai/gpt-99", "--max-cost", "1")
    assert result.code == 1
    assert "error: the price of " in result.err


def test_a_budget_is_for_all_documents_of_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    console = Console(capsys, monkeypatch)
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text(f"Volume {number}.\n\n{diary(60)}".replace("voyage", f"trip {number}"))
    with LoopbackServer().in_thread() as server:
        result = console(
            "read",
            tmp_path,
            "--shelf",
            "trips",
            "--base-url",
            server.base_url,
            "--max-tokens",
            "20000",
            "--mode",
            "paper",
        )
        assert "the budget of 20,000 tokens is too small" in result.err
        assert 15_000 < sum(tokens(request.prompt) for request in server.requests) <= 20_000


@pytest.mark.parametrize("price", ["nan", "-1.0"])
def test_a_price_that_is_none_is_refused(
    price: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    (own_home / "config.toml").write_text(f"[prices]\nskimmer = [1.0, {price}]\n")
    said = Console(capsys, monkeypatch).fails("list")
    assert "the price of 'skimmer'" in said
    assert "must be two numbers from 0 to 1,000,000" in said


LOADED_STORY = load(EXAMPLES / "story.txt")
PLAN = Plan(page_words=400, min_page_words=150)


def test_an_error_before_anything_was_spent_says_nothing_about_it() -> None:
    model = ScriptedModel(lambda ask: ServerFaultError("the server failed (500)"))
    with ReadAgent(model, plan=PLAN) as agent, pytest.raises(ServerFaultError) as caught:
        agent.read(LOADED_STORY)
    assert not hasattr(caught.value, "__notes__")
