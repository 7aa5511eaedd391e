"""SharedLimits: the calls of many workers wait in one place, and those of a worker that is gone are forgotten."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.gate import let_others_run
from readagent import AsyncReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.core.trace import Event, Usage, Waiting
from readagent.errors import RateLimitedError
from readagent.models.fair_queue import Rate, rates
from readagent.models.limits import LIFETIME, SharedLimits, Slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.faults import FakeClock
from readagent.testing.loopback.requests import tokens
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from sessions import EXAMPLES, TWO_STEPS

pytestmark = pytest.mark.anyio


class Limiter:
    """What a worker asks, in the same process."""

    def __init__(self, limits: SharedLimits, worker: str) -> None:
        self._limits, self._worker, self._count = limits, worker, 0

    async def admit(self, step: str, tokens: int) -> str:
        self._count += 1
        ticket = str(self._count)
        try:
            await self._limits.admit(self._worker, ticket, step, tokens)
        except BaseException:
            self._limits.done(self._worker, ticket, None)
            raise
        return ticket

    def pause(self, ticket: str, seconds: float, reason: str) -> None:
        self._limits.pause(self._worker, ticket, seconds, reason)

    def done(self, ticket: str, used: int | None) -> None:
        self._limits.done(self._worker, ticket, used)


class Server:
    """A model that notes how many calls it has at once, and refuses some."""

    name = "server"

    def __init__(self, refusals: int = 0) -> None:
        self.at_once = self.most = 0
        self.refusals = refusals
        self.gate = asyncio.Event()

    async def complete(self, ask: Ask) -> Reply:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await self.gate.wait()
            if self.refusals:
                self.refusals -= 1
                raise RateLimitedError("slow down", retry_after=20)
            return Reply("reply", usage=Usage(100, 50))
        finally:
            self.at_once -= 1


def worker(server: Server, limits: SharedLimits, name: str, clock: FakeClock | None = None) -> Retrying:
    return Retrying(server, Retries(Slots(8, limiter=Limiter(limits, name), clock=clock)))


async def test_workers_together_make_no_more_calls_than_allowed() -> None:
    server, limits = Server(), SharedLimits(3)
    workers = [worker(server, limits, name) for name in ("one", "two", "three")]
    calls = [asyncio.create_task(workers[n % 3].complete(Ask("gist", str(n)))) for n in range(12)]
    await let_others_run()
    assert (server.at_once, limits.active) == (3, 3)
    server.gate.set()
    assert [reply.text for reply in await asyncio.gather(*calls)] == ["reply"] * 12
    assert (server.most, limits.active) == (3, 0)


async def test_rates_are_those_of_all_workers() -> None:
    clock, server = FakeClock(), Server()
    server.gate.set()
    limits = SharedLimits(9, requests=60, clock=clock)
    workers = [worker(server, limits, name) for name in ("one", "two")]
    await asyncio.gather(*(workers[n % 2].complete(Ask("gist", str(n))) for n in range(61)))
    assert clock.now() >= 59


async def test_a_pause_that_one_worker_is_asked_for_stops_all() -> None:
    clock, server = FakeClock(), Server(refusals=1)
    limits = SharedLimits(9, clock=clock)
    first = asyncio.create_task(worker(server, limits, "one").complete(Ask("gist", "one")))
    await let_others_run()
    server.gate.set()
    await let_others_run()
    await worker(server, limits, "two").complete(Ask("gist", "two"))
    await first
    assert clock.now() >= 20


async def test_a_worker_that_is_gone_keeps_no_slots() -> None:
    clock = FakeClock()
    limits = SharedLimits(2, clock=clock)
    await limits.admit("dead", "1", "gist", 0)
    await limits.admit("dead", "2", "gist", 0)
    waiting = asyncio.create_task(limits.admit("alive", "1", "gist", 0))
    await let_others_run()
    assert not waiting.done()
    clock.time = LIFETIME - 1
    limits.alive("alive")
    await let_others_run()
    assert not waiting.done()
    clock.time = LIFETIME + 1
    limits.alive("alive")
    await waiting
    assert limits.active == 1


async def test_a_call_that_is_cancelled_while_it_waits_takes_no_slot() -> None:
    server, limits = Server(), SharedLimits(1)
    running, cancelled, next_one = (
        asyncio.create_task(worker(server, limits, name).complete(Ask("gist", name))) for name in ("a", "b", "c")
    )
    await let_others_run()
    cancelled.cancel()
    await let_others_run()
    server.gate.set()
    await asyncio.gather(running, next_one)
    assert limits.active == 0
    assert cancelled.cancelled()


def most_in_a_minute(sent: list[tuple[float, int]]) -> int:
    """Return the largest sum of amounts in any 60 seconds."""
    return max(sum(amount for at, amount in sent if start <= at < start + 60) for start, _ in sent)


class Counting:
    """A model that notes when each call came and what it used."""

    name = "counting"

    def __init__(self, clock: FakeClock, used: int = 0) -> None:
        self._clock, self._used = clock, used
        self.sent: list[tuple[float, int]] = []

    async def complete(self, ask: Ask) -> Reply:
        used = self._used or int(ask.prompt.split()[0])
        self.sent.append((self._clock.now(), used))
        return Reply("ok", usage=Usage(used - 1, 1))


async def test_requests_per_minute(clock: FakeClock) -> None:
    model = Counting(clock, used=1)
    paced = Retrying(model, Retries(Slots(8, limits=rates(20, None))))
    await asyncio.gather(*(paced.complete(Ask("gist", str(i))) for i in range(70)))
    assert most_in_a_minute(model.sent) == 20
    assert all(abs(later - earlier - 3) < 0.01 for (earlier, _), (later, _) in pairwise(model.sent)), "evenly spread"


async def test_tokens_per_minute_as_the_server_counts_them(clock: FakeClock) -> None:
    """The server counts three times what was estimated."""
    prompt = "word " * 100
    model = Counting(clock, used=3 * 143)
    paced = Retrying(model, Retries(Slots(8, limits=rates(None, 5000))))
    await asyncio.gather(*(paced.complete(Ask("gist", prompt)) for _ in range(40)))
    assert most_in_a_minute(model.sent) <= 5000
    assert clock.now() < 40 * 3 * 143 / 5000 * 60 + 60, "and the limit is used"


@given(st.lists(st.integers(1, 150), min_size=1, max_size=40), st.integers(20, 200))
def test_no_minute_exceeds_a_rate(amounts: list[int], most: int) -> None:
    rate, now, sent = Rate(most, "tokens"), 0.0, []
    for amount in amounts:
        now = rate.ready(amount, now)
        assert rate.ready(amount, now) == now
        rate.take(amount, now)
        sent.append((now, amount))
    assert most_in_a_minute(sent) <= max(most, *amounts)


async def test_a_reading_keeps_to_the_rates_and_says_why_it_waits(clock: FakeClock) -> None:
    sent: list[tuple[float, int]] = []
    heard: list[Event] = []

    def answer(ask: Ask) -> Reply:
        used = tokens(ask.prompt)
        sent.append((clock.now(), used))
        return Reply(skim(ask.prompt), usage=Usage(used, 0))

    model = ScriptedModel(answer)
    async with AsyncReadAgent(model, plan=TWO_STEPS, requests_per_minute=10, tokens_per_minute=10_000) as agent:
        await agent.read(load(EXAMPLES / "story.txt"), listen=heard.append)
    assert len(sent) > 20
    assert most_in_a_minute(sent) <= 10_000
    assert most_in_a_minute([(at, 1) for at, _ in sent]) <= 10
    reasons = {event.reason for event in heard if isinstance(event, Waiting)}
    assert "at most 10 requests per minute" in reasons
