"""Slots: questions go before reading, reading is not starved, and agents share the limit of a server."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
import stamina

from readagent import AsyncReadAgent, Document, load
from readagent.core.model import Ask, Reply, Step
from readagent.core.plan import Plan, preset
from readagent.errors import RateLimitedError
from readagent.models.limits import Limited, Slots, shared_slots
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from sessions import EXAMPLES

pytestmark = pytest.mark.anyio


class Ordered:
    """A model that records the order of its asks."""

    name = "ordered"

    def __init__(self) -> None:
        self.begun: list[str] = []

    async def complete(self, ask: Ask) -> Reply:
        self.begun.append(ask.prompt)
        await asyncio.sleep(0)
        return Reply("so")


async def order(asks: list[tuple[Step, str]], slots: Slots) -> list[str]:
    model = Ordered()
    limited = Limited(model, slots)
    await asyncio.gather(*(limited.complete(Ask(step, prompt)) for step, prompt in asks))
    return model.begun


async def test_a_question_goes_before_the_calls_of_a_reading() -> None:
    book: list[tuple[Step, str]] = [("gist", f"page {i}") for i in range(50)]
    begun = await order([*book, ("look_up", "question")], Slots(2))
    assert begun.index("question") == 2


async def test_reading_is_not_starved_by_questions() -> None:
    asks: list[tuple[Step, str]] = [("respond", f"q{i}") for i in range(12)]
    begun = await order([("gist", "first"), *asks, ("paginate", "page 0"), ("gist", "page 1")], Slots(1))
    assert begun.index("page 0") == 4
    assert begun.index("page 1") == 8


async def test_each_queue_is_first_come_first_served() -> None:
    asks: list[tuple[Step, str]] = [("gist", "a"), ("gist", "b"), ("respond", "x"), ("gist", "c"), ("look_up", "y")]
    begun = await order(asks, Slots(1))
    assert [one for one in begun if one in "abc"] == ["a", "b", "c"]
    assert [one for one in begun if one in "xy"] == ["x", "y"]


async def test_questions_alone_use_all_slots() -> None:
    begun = await order([("respond", str(i)) for i in range(9)], Slots(3))
    assert begun == [str(i) for i in range(9)]


async def test_a_429_halves_the_limit_for_every_model_that_shares_it() -> None:
    slots = Slots(8)
    first = Limited(ScriptedModel(lambda ask: RateLimitedError("x")), slots)
    assert slots.limit == 8
    with pytest.raises(RateLimitedError):
        await first.complete(Ask("gist", "one"))
    assert slots.limit == 4


async def test_agents_share_the_slots_of_a_server() -> None:
    async with (
        LoopbackServer(faults=["429"] * 8) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url) as one,
        AsyncReadAgent("skimmer", base_url=server.base_url) as other,
    ):
        kept = shared_slots(server.base_url, 8)
        limits = []
        for agent in (one, other):
            with stamina.set_testing(True, attempts=20, cap=False):
                await agent.read(load(EXAMPLES / "meeting.txt"), listen=lambda event: limits.append(kept.limit))
    assert min(limits) < 8  # a 429 for one agent counts for both


async def test_slots_are_shared_by_server_and_limit() -> None:
    one, other = shared_slots("http://a/v1", 4), shared_slots("http://a/v1", 4)
    assert one is other
    assert shared_slots("http://b/v1", 4) is not one
    assert shared_slots("http://a/v1", 5) is not one


async def test_a_question_is_answered_while_a_book_is_read() -> None:
    """A book of many sections waits for the only slot; the calls of a question do not wait for all of them."""
    asked = asyncio.Event()
    begun: list[str] = []

    def answer(ask: Ask) -> str:
        begun.append(ask.step)
        if len(begun) > 8:
            asked.set()
        return skim(ask.prompt)

    story = load(EXAMPLES / "story.txt")
    book = Document(story.text, tuple(replace(one, heading=1) for one in story.paragraphs))
    async with AsyncReadAgent(ScriptedModel(answer), parallel=1, plan=Plan(page_words=60, min_page_words=20)) as agent:
        memory = await agent.read(load(EXAMPLES / "meeting.txt"), plan=preset("articles"))
        begun.clear()
        reading = asyncio.create_task(agent.read(book))
        await asked.wait()
        await agent.ask(memory, "Where was the wallpaper steamer?")
        done = len(begun)
        await reading
    assert {"look_up", "respond"} <= set(begun[:done])
    assert done < len(begun) / 4
