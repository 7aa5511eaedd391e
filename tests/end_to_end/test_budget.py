"""A budget stops cleanly, and what was spent is told in full, also for attempts that ended early."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cli.console import Console, diary
from readagent import AsyncReadAgent, Budget, Document, Library, Plan, ReadAgent, load
from readagent.core.concurrency import together
from readagent.core.model import Ask, Reply
from readagent.core.plan import preset
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Trace, Usage
from readagent.core.window import Window
from readagent.errors import BudgetExceededError, ContextOverflowError, ServerFaultError
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


class Slow:
    """Refuses one prompt while another is in flight, whose reply arrives when it is ``released``."""

    name = "slow"

    def __init__(self) -> None:
        self.sent, self.released = asyncio.Event(), asyncio.Event()
        self.served = 0

    async def complete(self, ask: Ask) -> Reply:
        if ask.prompt == "a long page":
            await self.sent.wait()
            raise ContextOverflowError("too long", window=1000)
        self.sent.set()
        await self.released.wait()
        self.served += 1
        return Reply("a gist", usage=Usage(10, 5))


@pytest.mark.anyio
@pytest.mark.parametrize("second", ["another page", "a page"])
async def test_calls_in_flight_when_an_overflow_ends_an_attempt_are_counted_once(second: str) -> None:
    model, trace = Slow(), Trace()

    async with AsyncReadAgent(model) as agent:

        async def attempt(window: Window) -> None:
            prompts = ["a page", "a long page"] if window.tokens is None else [second]
            if window.tokens is not None:
                model.released.set()
            session = await agent.sessions.again(preset("articles"), window, trace, lambda event: None)
            await together(session.ask(Ask("gist", prompt)) for prompt in prompts)

        await agent.connection.within_window(attempt, trace=trace)
    assert model.served == len({"a page", second})
    assert [call.paid for call in trace.calls] == [True] * model.served
    assert trace.paid.prompt_tokens == 10 * model.served


def test_an_error_before_anything_was_spent_says_nothing_about_it() -> None:
    model = ScriptedModel(lambda ask: ServerFaultError("the server failed (500)"))
    with ReadAgent(model, plan=PLAN) as agent, pytest.raises(ServerFaultError) as caught:
        agent.read(LOADED_STORY)
    assert not hasattr(caught.value, "__notes__")
