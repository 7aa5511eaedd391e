"""Slots: how many calls run at once, which go first, and how they pause and follow when a server asks for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from models.gate import Gate, let_others_run
from readagent import AsyncReadAgent, Document, load
from readagent.core.model import Ask, Reply, Step
from readagent.core.plan import Plan, preset
from readagent.errors import RateLimitedError
from readagent.models.cache import Cached
from readagent.models.fair_queue import part_of
from readagent.models.limits import Slots, shared_slots
from readagent.models.retry import Retries, Retrying
from readagent.testing.faults import FakeClock
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from readagent.testing.skim import skim
from sessions import EXAMPLES
from stores import MemoryStore

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
    limited = Retrying(model, Retries(slots))
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


async def order_of(asks: list[tuple[str, Step, str]], slots: Slots) -> list[str]:
    """Return the order in which calls for documents are sent: document, step and prompt of each."""
    model = Ordered()
    limited = Retrying(model, Retries(slots))

    async def one(document: str, step: Step, prompt: str) -> None:
        with part_of(document):
            await limited.complete(Ask(step, prompt))

    await asyncio.gather(*(one(*ask) for ask in asks))
    return model.begun


async def test_a_short_document_does_not_wait_behind_a_long_one() -> None:
    asks: list[tuple[str, Step, str]] = [("long", "gist", f"long {page}") for page in range(50)]
    begun = await order_of([*asks, ("short", "gist", "short 0"), ("short", "gist", "short 1")], Slots(2))
    assert begun[2] == "short 0"
    assert begun.index("short 1") <= 5


async def test_calls_that_others_depend_on_go_before_gists_of_the_same_document() -> None:
    asks: list[tuple[str, Step, str]] = [
        ("a", "gist", "1"), ("a", "gist", "2"), ("a", "gist", "3"), ("a", "paginate", "4"),
    ]  # fmt: skip
    assert await order_of(asks, Slots(1)) == ["1", "4", "2", "3"]


async def test_calls_are_served_in_order_and_never_more_than_allowed() -> None:
    gate = Gate()
    limited = Retrying(gate, Retries(Slots(2)))
    tasks = [asyncio.create_task(limited.complete(Ask("gist", str(i)))) for i in range(6)]
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


async def test_a_call_without_callers_is_cancelled_while_it_waits_for_a_slot() -> None:
    gate, store = Gate(), MemoryStore()
    cached = Cached(Retrying(gate, Retries(Slots(1))), store)
    tasks = [asyncio.create_task(cached.complete(Ask("gist", str(i)))) for i in range(5)]
    await let_others_run()
    for task in tasks:
        task.cancel()
    await let_others_run()
    gate.let("0")
    await cached.drain()
    assert gate.begun == ["0"]
    assert [reply.text for reply in store.replies.values()] == ["0"]


async def test_all_calls_pause_and_follow_one_that_succeeds(clock: FakeClock) -> None:
    """Of 8 calls at once and 12 that wait, the 8 are refused; after the pause 1 is sent, then the others."""
    gate = Gate()
    limited = Retrying(gate, Retries(slots := Slots(8)))
    tasks = [asyncio.create_task(limited.complete(Ask("gist", str(i)))) for i in range(20)]
    await let_others_run()
    first = gate.begun[:]
    gate.begun.clear()
    for prompt in first:
        gate.fail(prompt, RateLimitedError("x", retry_after=30))
    await let_others_run()
    assert gate.begun == ["8"], "only one call is sent after the pause, and not one that may be to blame"
    assert 30 <= clock.now() <= 33
    gate.fail("8", RateLimitedError("x", retry_after=60))
    await let_others_run()
    assert gate.begun == ["8", "9"], "still only one"
    gate.let("9")
    await let_others_run()
    assert gate.begun == ["8", "9", "10", "11"]
    assert slots.limit == 2, "halved by each of the two pauses, not by each refusal"
    while not all(task.done() for task in tasks):
        for prompt, waiting in gate.gates.items():
            if not waiting.done():
                gate.let(prompt)
        await let_others_run()
    assert slots.limit > 2


async def test_agents_share_the_pause_of_a_server(clock: FakeClock) -> None:
    async with (
        LoopbackServer(faults=["429"] * 8, retry_after=50) as server,
        AsyncReadAgent("skimmer", base_url=server.base_url) as one,
        AsyncReadAgent("skimmer", base_url=server.base_url) as other,
    ):
        kept = shared_slots(server.base_url, 8)
        limits = []
        for agent in (one, other):
            await agent.read(load(EXAMPLES / "meeting.txt"), listen=lambda event: limits.append(kept.limit))
    assert min(limits) < 8  # a 429 for one agent counts for both
    assert clock.now() >= 50


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
