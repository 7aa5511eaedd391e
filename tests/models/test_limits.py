"""Turns: a question does not stand behind a book, reading is not starved, and agents share a server's limit."""

from __future__ import annotations

import asyncio

import pytest

from readagent import AsyncReadAgent, load
from readagent.connect import connect
from readagent.core.model import Ask, Reply, Step
from readagent.errors import RateLimitedError
from readagent.models.limits import Limited, Turns, shared_turns
from readagent.models.loopback import LoopbackServer
from readagent.models.scripted import ScriptedModel
from readagent.settings import load_settings
from readers import EXAMPLES

pytestmark = pytest.mark.anyio


class Line:
    """A model that notes in which order asks come, each of which takes a while."""

    name = "line"

    def __init__(self) -> None:
        self.begun: list[str] = []

    async def complete(self, ask: Ask) -> Reply:
        self.begun.append(ask.prompt)
        await asyncio.sleep(0)
        return Reply("so")


async def order(asks: list[tuple[Step, str]], turns: Turns) -> list[str]:
    line = Line()
    limited = Limited(line, turns=turns)
    await asyncio.gather(*(limited.complete(Ask(step, prompt)) for step, prompt in asks))
    return line.begun


async def test_a_question_does_not_stand_behind_a_book() -> None:
    book: list[tuple[Step, str]] = [("gist", f"page {i}") for i in range(50)]
    begun = await order([*book, ("look_up", "question")], Turns(2))
    assert begun.index("question") == 2


async def test_reading_is_not_starved_by_questions() -> None:
    asks: list[tuple[Step, str]] = [("respond", f"q{i}") for i in range(12)]
    begun = await order([("gist", "first"), *asks, ("paginate", "page 0"), ("gist", "page 1")], Turns(1))
    assert begun.index("page 0") == 4
    assert begun.index("page 1") == 8


async def test_each_lane_is_first_come_first_served() -> None:
    asks: list[tuple[Step, str]] = [("gist", "a"), ("gist", "b"), ("respond", "x"), ("gist", "c"), ("look_up", "y")]
    begun = await order(asks, Turns(1))
    assert [one for one in begun if one in "abc"] == ["a", "b", "c"]
    assert [one for one in begun if one in "xy"] == ["x", "y"]


async def test_questions_alone_use_all_turns() -> None:
    begun = await order([("respond", str(i)) for i in range(9)], Turns(3))
    assert begun == [str(i) for i in range(9)]


async def test_it_begins_with_all_it_may_and_a_429_halves_that_for_all_who_share_it() -> None:
    turns = Turns(8)
    first = Limited(ScriptedModel(lambda ask: RateLimitedError("x")), turns=turns)
    second = Limited(ScriptedModel(lambda ask: "ok"), turns=turns)
    assert second.limit == 8
    with pytest.raises(RateLimitedError):
        await first.complete(Ask("gist", "one"))
    assert second.limit == 4


async def test_agents_share_the_turns_at_a_server() -> None:
    one, other = shared_turns("http://a/v1", 4), shared_turns("http://a/v1", 4)
    assert one is other
    assert shared_turns("http://b/v1", 4) is not one
    assert shared_turns("http://a/v1", 5) is not one
    async with LoopbackServer(latency=0.001) as server:
        flags = {"base_url": server.base_url, "model": "skimmer", "parallel": 2}
        connections = [await connect(load_settings(flags), None) for _ in range(2)]
        await asyncio.gather(*(one.model.complete(Ask("gist", "a b c")) for one in connections))
        for connection in connections:
            await connection.aclose()


async def test_a_question_is_answered_while_a_book_is_read() -> None:
    """The book's gists are all waiting; the question's two calls go before them."""
    story = load(EXAMPLES / "story.txt")
    async with LoopbackServer() as server, AsyncReadAgent(server.base_url, model="skimmer", parallel=1) as agent:
        memory = await agent.read(load(EXAMPLES / "meeting.txt"))
        server.requests.clear()
        reading = asyncio.create_task(agent.read(story))
        while len(server.requests) < 3:
            await asyncio.sleep(0)
        await agent.ask(memory, "Where was the wallpaper steamer?")
        before = len(server.requests)
        await reading
        assert before < len(server.requests)
