"""Looking up the pages that matter to a question, without an answer, through the Python API."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent import AsyncReadAgent, AsyncShelf, Library, Plan, load
from sessions import EXAMPLES, Counting

pytestmark = pytest.mark.anyio

PLAN = Plan(page_words=300, min_page_words=100)
WHERE = "Which private box of the post office belonged to the barge trade?"


async def test_a_look_up_is_one_call_that_is_paid_once_and_keeps_no_answer(tmp_path: Path) -> None:
    model = Counting()
    with Library(tmp_path) as library:
        async with AsyncReadAgent(model, library=library, plan=PLAN) as agent:
            memory = await agent.read(load(EXAMPLES / "story.txt"))
            before = len(model.asks)
            found = await agent.look_up(memory, WHERE, max_pages=2)
            assert [ask.step for ask in model.asks[before:]] == ["look_up"]
            assert any("number 14 had belonged for years to the barge trade" in one.text for one in found)
            assert await agent.look_up(memory, WHERE, max_pages=2) == found
            assert len(model.asks) == before + 1
        assert library.answers() == []


async def test_nothing_after_the_position_is_looked_up() -> None:
    async with AsyncReadAgent(Counting(), plan=PLAN) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        for one in await agent.look_up(memory, WHERE, up_to=2):
            assert one.end <= memory.pages[2].end


async def test_pages_from_a_shelf_name_their_documents() -> None:
    async with AsyncReadAgent(Counting(), plan=PLAN) as agent:
        shelf = AsyncShelf(agent, "texts")
        for name in ("story.txt", "meeting.txt"):
            await shelf.add(load(EXAMPLES / name))
        found = await shelf.look_up(WHERE)
        assert any("barge trade" in one.quote.text for one in found)
        for one in found:
            document = agent.library.document(one.document)
            assert one.title == document.title
            assert one.quote.text == document.text[one.quote.start : one.quote.end]
