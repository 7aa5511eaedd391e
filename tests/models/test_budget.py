"""The budget: when spending stops, what counts, and that calls at the same time use all of it and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from models.gate import Gate, let_others_run
from readagent.core.model import Ask, Model, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, BudgetExceededError, ConnectionFailedError, ServerFaultError, SlowReplyError
from readagent.models.endpoint import Endpoint
from readagent.models.ledger import Budget, Ledger, Payer, Spent
from readagent.models.limits import Slots
from readagent.models.prices import FREE, Price, Prices
from readagent.models.refusal import UnreachableError
from readagent.models.retry import Retries, Retrying
from readagent.testing.scripted import ScriptedModel

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")
PROMPT = estimate_tokens(ASK.prompt)
SIZE = PROMPT + 128  # what is reserved for the prompt: servers add something
LONGEST = 1000  # tokens of a reply


class Answering:
    """A model that replies as a coroutine says."""

    name = "answering"

    def __init__(self, write: Callable[[Ask], Awaitable[Reply]]) -> None:
        self._write = write

    async def complete(self, ask: Ask) -> Reply:
        return await self._write(ask)


def reply(prompt: int, text: int) -> Reply:
    return Reply("short", usage=Usage(prompt, text))


def some(calls: int, tokens: int = 0) -> Budget:
    """Return a budget for so many calls with the longest replies, and a few tokens more."""
    return Budget(tokens=calls * (SIZE + LONGEST) + tokens)


class Paid:
    """A model whose calls are paid for; they do not take turns, and none is repeated."""

    name = "paid"

    def __init__(self, model: Model, payer: Payer) -> None:
        self._model, self._payer = model, payer

    async def complete(self, ask: Ask) -> Reply:
        async with self._payer.paying(ask) as payment:
            payment.reply = answer = await self._model.complete(payment.ask)
        return answer


def payer(ledger: Ledger, price: Price | None = None) -> Payer:
    return Payer(ledger, price=price, longest=lambda size: LONGEST)


def budgeted(model: Model, ledger: Ledger, price: Price | None = None) -> Paid:
    return Paid(model, payer(ledger, price))


def asks(count: int) -> list[Ask]:
    return [Ask("gist", f"one two thre{i}") for i in range(count)]


async def test_it_stops_before_the_call_that_could_exceed_it() -> None:
    model = ScriptedModel(lambda ask: reply(PROMPT, 400))
    ledger = Ledger(Budget(tokens=2 * (PROMPT + 400) + SIZE + 255))
    for _ in range(2):
        await budgeted(model, ledger).complete(ASK)
    with pytest.raises(BudgetExceededError, match=f"{2 * (PROMPT + 400)} tokens spent so far") as caught:
        await budgeted(model, ledger).complete(ASK)
    assert "nothing is lost" in caught.value.hint
    assert "`Budget(tokens=…)`" in caught.value.hint
    assert len(model.asks) == 2


@pytest.mark.parametrize(("limit", "parallel"), [(20_000, 8), (20_000, 32), (3_000, 1), (100_000, 8)])
async def test_replies_that_are_as_long_as_allowed_never_exceed_it(limit: int, parallel: int) -> None:
    """A reasoning model writes 5,000 tokens where it may, and stops where it must."""

    async def write(ask: Ask) -> Reply:
        await asyncio.sleep(0)
        assert ask.max_reply is not None
        return Reply("long", "stop" if ask.max_reply >= 5000 else "length", Usage(PROMPT, min(5000, ask.max_reply)))

    ledger = Ledger(Budget(tokens=limit))
    calls = Retrying(Answering(write), Retries(Slots(parallel)), Payer(ledger))
    results = await asyncio.gather(*map(calls.complete, asks(60)), return_exceptions=True)
    assert {type(result) for result in results} <= {Reply, BudgetExceededError}
    assert limit - 1000 < ledger.spent.tokens <= limit
    assert all(result.finish == "stop" for result in results if isinstance(result, Reply))


async def test_a_cost_limit_is_never_exceeded() -> None:
    price = Price(1.0, 10.0)
    model = ScriptedModel(
        lambda ask: Reply("x", usage=Usage(estimate_tokens(ask.prompt), min(5000, ask.max_reply or 9000)))
    )
    ledger = Ledger(Budget(cost=0.12))
    results = await asyncio.gather(
        *map(Paid(model, Payer(ledger, price=price)).complete, asks(20)), return_exceptions=True
    )
    assert sum(isinstance(result, Reply) for result in results) == 3
    assert 0.1 < ledger.spent.cost <= 0.12
    with pytest.raises(BudgetExceededError, match=r"\$0.12 .* \$0.1[12]\d\d spent so far"):
        raise next(result for result in results if isinstance(result, BudgetExceededError))


async def test_no_call_is_sent_after_prompts_that_were_longer_than_estimated_have_exceeded_it() -> None:
    model = ScriptedModel(lambda ask: reply(3000, 400))
    ledger = Ledger(Budget(tokens=10_000))
    calls = budgeted(model, ledger)
    results = [await calls.complete(ASK) for _ in range(3)]
    with pytest.raises(BudgetExceededError, match="10,200 tokens spent so far"):
        await calls.complete(ASK)
    assert len(results) == len(model.asks) == 3


async def test_a_reply_that_the_budget_cuts_ends_it() -> None:
    model = ScriptedModel([Reply("half a", "length", Usage(PROMPT, 300))])
    with pytest.raises(BudgetExceededError, match="too small for the last reply, which was cut"):
        await budgeted(model, Ledger(Budget(tokens=SIZE + 300))).complete(ASK)
    assert model.asks[0].max_reply == 300


async def test_a_call_waits_for_those_in_flight_and_is_sent_if_they_cost_less() -> None:
    gate = Gate()
    model = budgeted(gate, Ledger(some(2)))
    calls = [asyncio.create_task(model.complete(ask)) for ask in asks(3)]
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
    gate, ledger = Gate(), Ledger(some(2))
    model = budgeted(gate, ledger)
    calls = [asyncio.create_task(model.complete(ask)) for ask in asks(3)]
    await let_others_run()
    for prompt in gate.begun[:]:
        gate.let(prompt, reply(SIZE, LONGEST))
    *done, failure = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(result) for result in done] == [Reply, Reply]
    assert isinstance(failure, BudgetExceededError)
    assert f"{ledger.spent.tokens:,} tokens spent so far" in str(failure), "calls that were in flight count"
    assert len(gate.begun) == 2


async def test_calls_in_flight_are_charged_what_is_expected() -> None:
    gate, ledger = Gate(), Ledger()
    call = asyncio.create_task(budgeted(gate, ledger).complete(ASK))
    await let_others_run()
    assert ledger.charged == Spent(SIZE)
    gate.let(ASK.prompt, reply(40, 60))
    await call
    assert ledger.charged == ledger.spent == Spent(100)


async def test_refused_calls_and_cached_replies_cost_nothing() -> None:
    refused = [ServerFaultError("x"), UnreachableError("x"), Reply("known", paid=False), reply(PROMPT, 0)]
    ledger = Ledger(some(1))
    model = budgeted(ScriptedModel(refused), ledger)
    for _ in range(2):
        with pytest.raises((ServerFaultError, UnreachableError)):
            await model.complete(ASK)
    await model.complete(ASK)
    await model.complete(ASK)
    assert ledger.spent.tokens == PROMPT


@pytest.mark.parametrize(
    ("error", "cost"),
    [
        (ConnectionFailedError("it broke off"), SIZE + 20),
        (BadReplyError("half a reply"), SIZE + 20),
        (SlowReplyError("no whole reply"), SIZE + LONGEST),
    ],
)
async def test_a_reply_that_broke_off_costs_its_estimate_and_a_slow_one_all_it_may(error: Exception, cost: int) -> None:
    ledger = Ledger(some(3))
    model = budgeted(ScriptedModel([reply(PROMPT, 20), error]), ledger)
    await model.complete(ASK)
    with pytest.raises(type(error)):
        await model.complete(ASK)
    assert ledger.spent.tokens == PROMPT + 20 + cost


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/v1", "http://gpu.lan/v1"])
def test_a_price_that_the_user_gave_counts_on_private_servers(url: str) -> None:
    own = Prices.default().extended({"qwen": Price(0.5, 1.5)})
    assert Endpoint(url, "qwen", prices=own).price == Price(0.5, 1.5)
    assert Endpoint(url, "gpt-4.1", prices=own).price == FREE
    assert Endpoint("https://api.example.org/v1", "gpt-4.1", prices=own).price == Prices.default().of("gpt-4.1")
