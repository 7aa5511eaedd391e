"""Looking up the pages that matter to a question, without an answer, through the Python API."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent import AsyncReadAgent, AsyncShelf, Library, Plan, load
from readagent.errors import UsageError
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


async def test_a_misspelt_keyword_is_a_type_error() -> None:
    async with AsyncReadAgent(Counting(), plan=PLAN) as agent:
        memory = await agent.read(load(EXAMPLES / "meeting.txt"))
        with pytest.raises(TypeError, match="did you mean 'max_pages'"):
            await agent.look_up(memory, WHERE, max_page=2)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"look_up\(\) got an unexpected keyword argument 'listeners'"):
            await AsyncShelf(agent, "texts").look_up(WHERE, listeners=2)  # type: ignore[call-arg]
        with pytest.raises(UsageError, match="a position for each document, not 2"):
            await AsyncShelf(agent, "texts").look_up(WHERE, up_to=2)  # type: ignore[arg-type]


async def test_the_preset_for_transcripts_has_short_gists_and_opens_what_a_search_finds() -> None:
    async with AsyncReadAgent(Counting(), plan="transcripts") as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        assert max(gist.words for gist in memory.gists) <= 45
        answer = await agent.ask(memory, WHERE)
        assert "barge trade" in "".join(memory.page_text(page) for page in answer.pages[:3])
        first = next(call for call in answer.trace.calls if call.step == "direct")
        assert all(memory.page_text(page).strip() in (first.prompt or "") for page in answer.pages[:3])


async def test_pages_are_opened_first_also_without_hints() -> None:
    async with AsyncReadAgent(Counting(), plan=PLAN) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        answer = await agent.ask(memory, WHERE, open_first=1, hints=False)
        assert "barge trade" in memory.page_text(answer.pages[0])


async def test_presets_with_other_gists_read_a_text_of_their_own() -> None:
    async with AsyncReadAgent(Counting()) as agent:
        text = load(EXAMPLES / "story.txt")
        usual, short = [await agent.read(text, plan=plan) for plan in ("auto", "transcripts")]
        assert short.words() < usual.words()
        assert [(await agent.read(text, plan=plan)).key for plan in ("auto", "transcripts")] == [usual.key, short.key]
