"""The cache: no call is made twice, and no reply that arrived is lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from readagent.core.form import Choice
from readagent.core.model import Ask, Material, Reply
from readagent.errors import ServerFaultError
from readagent.models.cache import Cached, ask_key
from readagent.testing.scripted import ScriptedModel
from shelf_members import FARM, MILL
from stores import MemoryStore

pytestmark = pytest.mark.anyio
ASK = Ask("gist", "a passage")


async def test_a_stored_reply_is_neither_requested_nor_paid_again() -> None:
    model = ScriptedModel(["first"])
    store = MemoryStore()
    paid = await Cached(model, store).complete(ASK)
    heard: list[str] = []
    known = await Cached(model, store).complete(Ask("gist", "a passage", listen=heard.append))
    assert (paid.text, paid.paid) == ("first", True)
    assert (known.text, known.paid) == ("first", False)
    assert known.usage == paid.usage
    assert heard == ["first"]


async def test_the_key_covers_everything_that_determines_a_reply() -> None:
    different = [
        ask_key("m", ASK),
        ask_key("n", ASK),
        ask_key("m", ASK, run=1),
        ask_key("m", Ask("merge", "a passage")),
        ask_key("m", Ask("gist", "a passage.")),
        ask_key("m", replace(ASK, picture=b"\x89PNG 1")),
        ask_key("m", replace(ASK, picture=b"\x89PNG 2")),
        ask_key("m", Ask("gist", "a passage", Choice(("1", "2")))),
        ask_key("m", Ask("gist", "a passage", Choice(("1", "2", "3")))),
        ask_key("m", Ask("gist", "a passage", Choice(("1", "2"), most=2))),
        ask_key("m", Ask("gist", "a passage", Choice(("1", "2"), texts=("a", "b")))),
        *(ask_key("m", replace(ASK, material=Material(memory=one.memory)), uses_material=True) for one in (MILL, FARM)),
    ]
    assert len(set(different)) == len(different)
    assert ask_key("m", ASK) == ask_key("m", Ask("gist", "a passage", listen=print))
    assert ask_key("m", ASK) == ask_key("m", replace(ASK, material=Material(memory=MILL.memory)))
    assert ask_key("m", Ask("gist", "half a pair \ud83d"))


async def test_each_run_has_its_own_replies() -> None:
    model = ScriptedModel(["one", "two"])
    store = MemoryStore()
    assert [(await Cached(model, store, run=run).complete(ASK)).text for run in (0, 1, 0)] == ["one", "two", "one"]


async def test_concurrent_equal_asks_share_one_call() -> None:
    model = ScriptedModel(["only"])
    cached = Cached(model, MemoryStore())
    heard: list[str] = []
    asks = [Ask("gist", "a passage", listen=heard.append) for _ in range(5)]
    replies = await asyncio.gather(*map(cached.complete, asks))
    assert [reply.text for reply in replies] == ["only"] * 5
    assert sum(reply.paid for reply in replies) == 1
    assert heard == ["only"] * 5
    assert len(model.asks) == 1


async def test_an_error_is_raised_to_every_caller_and_not_stored() -> None:
    model = ScriptedModel([ServerFaultError("down"), "up"])
    cached = Cached(model, MemoryStore())
    results = await asyncio.gather(*(cached.complete(ASK) for _ in range(3)), return_exceptions=True)
    assert all(isinstance(result, ServerFaultError) for result in results)
    assert (await cached.complete(ASK)).text == "up"


class Slow:
    """A model that replies once ``go`` is set."""

    name = "slow"

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.go = asyncio.Event()
        self.asks = 0

    async def complete(self, ask: Ask) -> Reply:
        self.asks += 1
        self.started.set()
        await self.go.wait()
        if ask.listen is not None:
            ask.listen("arrived")
        return Reply("arrived")


async def test_a_reply_in_flight_is_stored_although_its_caller_was_cancelled() -> None:
    model, store, heard = Slow(), MemoryStore(), list[str]()
    cached = Cached(model, store)
    task = asyncio.create_task(cached.complete(Ask("gist", "a passage", listen=heard.append)))
    await model.started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not store.replies
    draining = asyncio.create_task(cached.drain())
    model.go.set()
    await draining
    assert [reply.text for reply in store.replies.values()] == ["arrived"]
    assert heard == []
    assert (await cached.complete(ASK)).paid  # nobody has accounted for it yet
    assert not (await cached.complete(ASK)).paid
    assert model.asks == 1


async def test_a_discarded_reply_is_asked_for_again_by_the_next_run_only() -> None:
    model, store = ScriptedModel(["useless", "good"]), MemoryStore()
    cached = Cached(model, store)
    first = await cached.complete(ASK)
    first.discard()
    assert store.replies == {}
    assert (await cached.complete(ASK)).text == "useless"
    cached.forget_discarded()
    assert (await cached.complete(ASK)).text == "good"
    assert (await Cached(model, store).complete(ASK)).text == "good"


async def test_one_of_two_callers_may_be_cancelled() -> None:
    model = Slow()
    cached = Cached(model, MemoryStore())
    first, second = (asyncio.create_task(cached.complete(ASK)) for _ in range(2))
    await model.started.wait()
    first.cancel()
    model.go.set()
    assert (await second).text == "arrived"
    assert model.asks == 1


async def test_a_reply_is_stored_before_it_is_returned() -> None:
    class Broken(MemoryStore):
        def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await Cached(ScriptedModel(["x"]), Broken()).complete(ASK)
