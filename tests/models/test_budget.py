"""The budget: when spending stops, what counts, and that calls at the same time use all of it and no more."""

from __future__ import annotations

import asyncio
import math

import pytest

from models.gate import Gate, let_others_run
from readagent.core.model import Ask, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, BudgetExceededError, ConnectionFailedError, ServerFaultError, UsageError
from readagent.models.budget import Budget, Budgeted, Purse, Spent
from readagent.models.endpoint import Endpoint
from readagent.models.failures import UnreachableError
from readagent.models.limits import Slots
from readagent.models.prices import FREE, Price, Prices
from readagent.models.retry import Retries, Retrying
from readagent.testing.scripted import ScriptedModel

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")
PROMPT = estimate_tokens(ASK.prompt)


def reply(prompt: int, text: int) -> Reply:
    return Reply("short", usage=Usage(prompt, text))


async def test_it_stops_before_the_call_that_would_exceed_it() -> None:
    model = ScriptedModel(lambda ask: reply(PROMPT, 10))
    budgeted = Budgeted(model, Purse(Budget(tokens=3 * (PROMPT + 10) - 1)))
    await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match=f"{2 * (PROMPT + 10)} tokens spent so far") as caught:
        await budgeted.complete(ASK)
    assert "nothing is lost" in caught.value.hint
    assert "--max-tokens" in caught.value.hint
    assert len(model.asks) == 2


async def test_queued_calls_do_not_use_it_up() -> None:
    """A budget for 30 calls allows 30 of 40 calls that are queued at the same time."""
    model = ScriptedModel(lambda ask: reply(PROMPT, 10))
    purse = Purse(Budget(tokens=30 * (PROMPT + 10)))
    queued = Retrying(Budgeted(model, purse), Retries(Slots(8)))
    results = await asyncio.gather(*(queued.complete(ASK) for _ in range(40)), return_exceptions=True)
    assert sum(isinstance(result, Reply) for result in results) == 30
    assert purse.spent.tokens == 30 * (PROMPT + 10)


async def test_a_call_waits_for_those_in_flight_and_is_sent_if_they_cost_less() -> None:
    gate = Gate()
    budgeted = Budgeted(gate, Purse(Budget(tokens=2 * PROMPT)))
    calls = [asyncio.create_task(budgeted.complete(Ask("gist", f"one two thre{i}"))) for i in range(3)]
    await let_others_run()
    assert gate.begun == ["one two thre0", "one two thre1"]
    gate.fail("one two thre0", ServerFaultError("refused"))
    await let_others_run()
    assert gate.begun[2:] == ["one two thre2"]
    for prompt in gate.begun[1:]:
        gate.let(prompt, reply(PROMPT, 0))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [ServerFaultError, Reply, Reply]


async def test_a_call_that_waits_fails_if_those_in_flight_use_it_up() -> None:
    gate = Gate()
    budgeted = Budgeted(gate, Purse(Budget(tokens=2 * PROMPT)))
    calls = [asyncio.create_task(budgeted.complete(Ask("gist", f"one two thre{i}"))) for i in range(3)]
    await let_others_run()
    for prompt in gate.begun[:]:
        gate.let(prompt, reply(PROMPT, 1))
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in results] == [Reply, Reply, BudgetExceededError]
    assert len(gate.begun) == 2


async def test_a_cancelled_wait_takes_nothing() -> None:
    gate, purse = Gate(), Purse(Budget(tokens=2 * PROMPT))
    budgeted = Budgeted(gate, purse)
    calls = [asyncio.create_task(budgeted.complete(Ask("gist", f"one two thre{i}"))) for i in range(3)]
    await let_others_run()
    calls[2].cancel()
    for prompt in gate.begun[:]:
        gate.fail(prompt, ServerFaultError("refused"))
    await asyncio.gather(*calls, return_exceptions=True)
    assert purse.spent == Spent()
    await purse.reserve(Spent(2 * PROMPT))


async def test_the_reported_tokens_count_and_a_reply_is_expected_to_be_as_long_as_others() -> None:
    model = ScriptedModel(lambda ask: reply(40, 60))
    budgeted = Budgeted(model, Purse(Budget(tokens=259 + PROMPT)))
    await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match=f"needs about {PROMPT + 60} tokens; 200 tokens spent so far"):
        await budgeted.complete(ASK)


async def test_a_cost_limit_needs_a_price() -> None:
    with pytest.raises(UsageError, match="price") as caught:
        Budgeted(ScriptedModel([]), Purse(Budget(cost=1.0)))
    assert "price" in caught.value.hint
    model = ScriptedModel(lambda ask: Reply("x", usage=Usage(100_000, 0, cost=0.1)))
    budgeted = Budgeted(model, Purse(Budget(cost=0.25)), price=Price(1.0, 2.0))
    for _ in range(3):
        await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match=r"\$0.25 .* \$0.3000 spent so far"):
        await budgeted.complete(ASK)


async def test_refused_calls_and_cached_replies_cost_nothing() -> None:
    refused = [ServerFaultError("x"), UnreachableError("x"), Reply("known", paid=False), reply(PROMPT, 0)]
    purse = Purse(Budget(tokens=PROMPT))
    budgeted = Budgeted(ScriptedModel(refused), purse)
    for _ in range(2):
        with pytest.raises((ServerFaultError, UnreachableError)):
            await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    assert purse.spent.tokens == PROMPT


@pytest.mark.parametrize("error", [ConnectionFailedError("it broke off"), BadReplyError("half a reply")])
async def test_a_reply_that_broke_off_costs_its_estimate(error: Exception) -> None:
    purse = Purse(Budget(tokens=1000))
    budgeted = Budgeted(ScriptedModel([reply(PROMPT, 20), error]), purse)
    await budgeted.complete(ASK)
    with pytest.raises(type(error)):
        await budgeted.complete(ASK)
    assert purse.spent.tokens == 2 * (PROMPT + 20)


async def test_models_share_a_purse() -> None:
    purse = Purse(Budget(tokens=2 * PROMPT))
    one, other = (Budgeted(ScriptedModel([reply(PROMPT, 0)] * 2), purse) for _ in range(2))
    await one.complete(ASK)
    await other.complete(ASK)
    with pytest.raises(BudgetExceededError):
        await one.complete(ASK)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, True])
def test_a_price_is_a_number_of_at_least_0(bad: float) -> None:
    for prices in ((bad, 1.0), (1.0, bad)):
        with pytest.raises(UsageError, match="a price must be a number of at least 0"):
            Price(*prices)


def test_the_prices_that_ship_are_plausible() -> None:
    table = Prices.default()._table
    assert len(table) > 10
    for name, price in table.items():
        assert 0 < price.input <= price.output < 1000, name
        assert price.cached is None or 0 <= price.cached <= price.input, name
        assert price.window is None or 1000 <= price.window <= 20_000_000, name


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/v1", "http://gpu.lan/v1"])
def test_a_price_that_the_user_gave_counts_on_private_servers(url: str) -> None:
    own = Prices.default().extended({"qwen": Price(0.5, 1.5)})
    assert Endpoint(url, "qwen", prices=own).price == Price(0.5, 1.5)
    assert Endpoint(url, "gpt-4.1", prices=own).price == FREE
    assert Endpoint("https://api.example.org/v1", "gpt-4.1", prices=own).price == Prices.default().of("gpt-4.1")
