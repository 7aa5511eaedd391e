"""Requests and tokens per minute are never exceeded in any 60 seconds, and calls are spread evenly."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent import AsyncReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.core.trace import Event, Usage, Waiting
from readagent.models.fair_queue import Rate, rates
from readagent.models.limits import Slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.faults import FakeClock
from readagent.testing.loopback.requests import tokens
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from sessions import EXAMPLES, TWO_STEPS

pytestmark = pytest.mark.anyio


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
