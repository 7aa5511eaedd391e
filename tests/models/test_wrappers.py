"""Retries, slots and budget: what is repeated, how many calls run at once, and when spending stops."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.model import Ask, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import (
    BadReplyError,
    BudgetExceededError,
    ConnectionFailedError,
    ContextOverflowError,
    RateLimitedError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UnknownModelError,
    UsageError,
)
from readagent.models.budget import Budget, Budgeted
from readagent.models.cache import Cached
from readagent.models.endpoint import Endpoint
from readagent.models.failures import UnreachableError
from readagent.models.limits import Limited, Slots
from readagent.models.prices import Price
from readagent.models.retry import Retries, Retrying
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from stores import MemoryStore

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "one two three")


@pytest.fixture
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=8, cap=True):
        yield


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record waits instead of waiting."""
    waited: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        if seconds:
            waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", note)
    return waited


RETRYABLE = [ConnectionFailedError("x"), RateLimitedError("x"), ServerFaultError("x"), BadReplyError("x")]
PERMANENT = [UnauthorizedError("x"), UnknownModelError("x"), ContextOverflowError("x"), RejectedError("x"), UsageError("x"),
         BudgetExceededError("x")]  # fmt: skip


@pytest.mark.parametrize("error", RETRYABLE, ids=lambda error: type(error).__name__)
async def test_a_retryable_error_is_retried(error: ReadAgentError, no_waiting: None) -> None:
    model = ScriptedModel([error, error, "at last"])
    assert (await Retrying(model).complete(ASK)).text == "at last"
    assert len(model.asks) == 3


@pytest.mark.parametrize("error", PERMANENT, ids=lambda error: type(error).__name__)
async def test_a_permanent_error_is_raised_at_once(error: ReadAgentError, no_waiting: None) -> None:
    model = ScriptedModel([error, "never"])
    with pytest.raises(type(error)):
        await Retrying(model).complete(ASK)
    assert len(model.asks) == 1


async def test_the_last_error_is_raised_after_all_attempts(no_waiting: None) -> None:
    model = ScriptedModel(lambda ask: ServerFaultError(f"fault {len(model.asks)}"))
    with pytest.raises(ServerFaultError, match="fault 5"):
        await Retrying(model, Retries(attempts=5)).complete(ASK)


async def test_retry_after_is_honoured(waits: list[float]) -> None:
    model = ScriptedModel([RateLimitedError("x", retry_after=20), ServerFaultError("x", retry_after=0), "ok"])
    await Retrying(model).complete(ASK)
    assert len(waits) == 1
    assert 20 <= waits[0] <= 22


async def test_waits_grow_with_jitter_up_to_a_maximum(waits: list[float]) -> None:
    model = ScriptedModel([*[ServerFaultError("x")] * 7, "ok"])
    await Retrying(model, Retries(wait_max=8)).complete(ASK)
    assert len(waits) == 7
    assert all(0.5 * 2**i <= wait <= 0.5 * 2**i + 1 for i, wait in enumerate(waits[:4]))
    assert waits[-1] == 8


async def test_a_retry_after_beyond_the_timeout_is_not_waited_for(waits: list[float]) -> None:
    model = ScriptedModel([RateLimitedError("come back tomorrow", retry_after=86400), "ok"])
    with pytest.raises(RateLimitedError):
        await Retrying(model).complete(ASK)
    assert not waits


async def test_an_unreachable_server_is_given_up_early_unless_it_answered_before(no_waiting: None) -> None:
    model = ScriptedModel([UnreachableError("x"), UnreachableError("x"), "late"])
    retrying = Retrying(model)
    with pytest.raises(UnreachableError):
        await retrying.complete(ASK)
    assert len(model.asks) == 2
    model = ScriptedModel(["hello", *[UnreachableError("x")] * 4, "back"])
    retrying = Retrying(model)
    await retrying.complete(ASK)
    assert (await retrying.complete(ASK)).text == "back"


async def test_a_stream_that_was_cut_is_passed_on_once(no_waiting: None) -> None:
    heard: list[str] = []
    async with LoopbackServer(lambda *_: "It was the keeper of the light.", faults=["cut", "cut"]) as server:
        endpoint = Endpoint(server.base_url, "skimmer")
        reply = await Retrying(endpoint).complete(Ask("respond", "Who?", listen=heard.append))
        await endpoint.aclose()
        assert len(server.requests) == 3
    assert "".join(heard) == reply.text == "It was the keeper of the light."


async def test_a_cancelled_call_is_not_retried(no_waiting: None) -> None:
    started = asyncio.Event()

    class Endless:
        name = "endless"
        asks = 0

        async def complete(self, ask: Ask) -> Reply:
            self.asks += 1
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    model = Endless()
    task = asyncio.create_task(Retrying(model).complete(ASK))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.asks == 1


class Gate:
    """A model whose replies are released one by one."""

    name = "gate"

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Future[Reply]] = {}

    async def complete(self, ask: Ask) -> Reply:
        self.begun.append(ask.prompt)
        self.gates[ask.prompt] = asyncio.get_running_loop().create_future()
        return await self.gates[ask.prompt]

    def let(self, prompt: str) -> None:
        self.gates[prompt].set_result(Reply(prompt))


async def let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def asked(prompt: str) -> Ask:
    return Ask("gist", prompt)


async def test_calls_are_served_in_order_and_never_more_than_allowed() -> None:
    gate = Gate()
    limited = Limited(gate, Slots(2))
    tasks = [asyncio.create_task(limited.complete(asked(str(i)))) for i in range(6)]
    await let_others_run()
    assert gate.begun == ["0", "1"]
    tasks[2].cancel()
    gate.let("1")
    await let_others_run()
    assert gate.begun == ["0", "1", "3"]
    for prompt in ("0", "3", "4", "5"):
        gate.let(prompt)
        await let_others_run()
    assert gate.begun == ["0", "1", "3", "4", "5"]
    assert (await asyncio.gather(*tasks[3:]))[-1].text == "5"


async def test_a_429_halves_the_limit_and_successes_raise_it() -> None:
    model = ScriptedModel(lambda ask: RateLimitedError("x") if ask.prompt == "bad" else "ok")
    limited = Limited(model, slots := Slots(8))
    results = await asyncio.gather(*(limited.complete(asked("bad")) for _ in range(8)), return_exceptions=True)
    assert all(isinstance(result, RateLimitedError) for result in results)
    assert slots.limit == 4  # concurrent 429s count once
    for _ in range(5):
        with pytest.raises(RateLimitedError):
            await limited.complete(asked("bad"))
    assert slots.limit == 1
    for _ in range(60):
        await limited.complete(asked("good"))
    assert slots.limit == 8


@given(st.lists(st.sampled_from(["let", "cancel", "start", "refuse"]), max_size=60), st.integers(1, 4))
def test_no_slot_is_ever_lost(moves: list[str], most: int) -> None:
    async def play() -> None:
        gate = Gate()
        limited = Limited(gate, slots := Slots(most))
        tasks: list[asyncio.Task[Reply]] = []
        for number, move in enumerate(moves):
            under_way = [gate.gates[p] for p in gate.begun if not gate.gates[p].done()]
            if move == "start":
                tasks.append(asyncio.create_task(limited.complete(asked(str(number)))))
            elif move == "cancel" and tasks:
                tasks[number % len(tasks)].cancel()
            elif under_way and move == "let":
                under_way[0].set_result(Reply("x"))
            elif under_way and move == "refuse":
                under_way[0].set_exception(RateLimitedError("x"))
            if number % 3:
                await let_others_run()
            assert sum(not gate.gates[p].done() for p in gate.begun) <= most
        while not all(task.done() for task in tasks):
            await let_others_run()
            for prompt in gate.begun:
                if not gate.gates[prompt].done():
                    gate.let(prompt)
        await asyncio.gather(*tasks, return_exceptions=True)
        after = [asyncio.create_task(limited.complete(asked(f"after {i}"))) for i in range(slots.limit)]
        await let_others_run()
        assert len([p for p in gate.begun if p.startswith("after")]) == slots.limit
        for i in range(len(after)):
            gate.let(f"after {i}")
        await asyncio.gather(*after)

    asyncio.run(play())


async def test_a_call_without_callers_is_cancelled_while_it_waits_for_a_slot() -> None:
    gate = Gate()
    store = MemoryStore()
    cached = Cached(Limited(gate, Slots(1)), store)
    tasks = [asyncio.create_task(cached.complete(asked(str(i)))) for i in range(5)]
    await let_others_run()
    for task in tasks:
        task.cancel()
    await let_others_run()
    gate.let("0")
    await cached.drain()
    assert gate.begun == ["0"]
    assert [reply.text for reply in store.replies.values()] == ["0"]


async def test_a_call_without_callers_is_not_retried(no_waiting: None) -> None:
    gate = Gate()
    cached = Cached(Retrying(gate), MemoryStore())
    task = asyncio.create_task(cached.complete(ASK))
    await let_others_run()
    task.cancel()
    await let_others_run()
    gate.gates[ASK.prompt].set_exception(ServerFaultError("x"))
    await cached.drain()
    assert len(gate.begun) == 1


async def test_the_budget_stops_before_the_call_that_would_exceed_it() -> None:
    model = ScriptedModel(lambda ask: "short")
    prompt, reply = estimate_tokens(ASK.prompt), estimate_tokens("short")
    budgeted = Budgeted(model, Budget(tokens=2 * (prompt + reply) + prompt - 1))
    await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match=f"{2 * (prompt + reply)} tokens spent so far") as caught:
        await budgeted.complete(ASK)
    assert "--max-tokens" in caught.value.hint
    assert len(model.asks) == 2


async def test_concurrent_calls_cannot_exceed_the_budget_together() -> None:
    model = ScriptedModel(lambda ask: "short")
    budgeted = Budgeted(model, Budget(tokens=3 * estimate_tokens(ASK.prompt)))
    results = await asyncio.gather(*(budgeted.complete(ASK) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(result, Reply) for result in results) == 3
    assert len(model.asks) == 3


async def test_the_reported_tokens_count_not_the_estimate() -> None:
    model = ScriptedModel(lambda ask: Reply("x", usage=Usage(40, 60)))
    budgeted = Budgeted(model, Budget(tokens=250))
    for _ in range(3):
        await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match="300 tokens spent so far"):
        await budgeted.complete(ASK)


async def test_a_cost_limit_needs_a_price() -> None:
    with pytest.raises(UsageError, match="price") as caught:
        Budgeted(ScriptedModel([]), Budget(cost=1.0))
    assert "price" in caught.value.hint
    model = ScriptedModel(lambda ask: Reply("x", usage=Usage(100_000, 0, cost=0.1)))
    budgeted = Budgeted(model, Budget(cost=0.25), price=Price(1.0, 2.0))
    for _ in range(3):
        await budgeted.complete(ASK)
    with pytest.raises(BudgetExceededError, match=r"\$0.25 .* \$0.3000 spent so far"):
        await budgeted.complete(ASK)


async def test_failed_and_cached_replies_cost_nothing() -> None:
    model = ScriptedModel([ServerFaultError("x"), Reply("known", paid=False), "paid"])
    budgeted = Budgeted(model, Budget(tokens=estimate_tokens(ASK.prompt)))
    with pytest.raises(ServerFaultError):
        await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    await budgeted.complete(ASK)
    assert budgeted.spent.tokens == estimate_tokens(ASK.prompt) + estimate_tokens("paid")
