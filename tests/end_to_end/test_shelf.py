"""Shelves through the Python API: read, ask, compare and look up."""

from __future__ import annotations

from pathlib import Path

import pytest

from meanings import WordMeanings
from readagent import AsyncReadAgent, AsyncShelf, Document, Library, Plan, Question, load
from readagent.core.model import Ask
from readagent.core.tokens import estimate_tokens
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel, Skimmer
from readagent.testing.skim import skim
from sessions import EXAMPLES, Counting

pytestmark = pytest.mark.anyio

GOODS = "salt bread rope wool iron honey glass paper".split()
PLAN = Plan(page_words=60, min_page_words=20)


def tale(goods: str, words: int = 150) -> Document:
    filler = " ".join(f"The {goods} seller walked on to market number {number}." for number in range(words // 8))
    text = f"The tale of {goods}\n\nIn the end the {goods} was sold to the widow of {goods}ville.\n\n{filler}\n"
    return Document.from_text(text, title=f"Of {goods}", source=f"/tales/{goods}.txt")


async def test_a_grown_text_stays_on_its_shelf_with_a_new_card(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        async with AsyncReadAgent(Skimmer(), library=library, plan=PLAN) as agent:
            shelf = AsyncShelf(agent, "goods")
            first = await shelf.add(memory := await agent.read(tale("salt")))
            longer = await agent.append(memory, "\n\n" + tale("glass").text)
            assert [card.document for card in shelf.cards()] == [longer.document.id]
            second = await shelf.add(longer)
            assert shelf.cards() == [second]
            assert second.text != first.text


async def test_cards_are_found_by_meaning_with_an_embedder(tmp_path: Path) -> None:
    embedder = WordMeanings()
    with Library(tmp_path) as library:
        async with AsyncReadAgent(Skimmer(), library=library, plan=PLAN) as agent:
            shelf = AsyncShelf(agent, "goods", embedder=embedder)
            for goods in GOODS:
                await shelf.add(tale(goods))
            assert len(embedder.embedded) == len(GOODS)
            nearest = await shelf.nearest(Question("wool"), shelf.cards())
            assert shelf.cards()[nearest[0]].title == "Of wool"
            assert len(nearest) == len(GOODS)  # the others are further away, and are ranked too


async def test_a_comparison_has_a_line_for_every_document(tmp_path: Path) -> None:
    with Library(tmp_path) as library:
        async with AsyncReadAgent(Skimmer(), library=library, plan=PLAN, window=2048) as agent:
            shelf = AsyncShelf(agent, "goods")
            for goods in GOODS:
                await shelf.add(tale(goods))
            answer = await shelf.ask("Which goods were sold to the widow?", compare=True)
            assert sorted(line.title for line in answer.lines) == sorted(f"Of {goods}" for goods in GOODS)
            assert all("widow" in line.text and line.quotes for line in answer.lines)
            with pytest.raises(UsageError, match="51 documents cannot be compared"):
                await shelf.ask("Which?", compare=True, documents=51)
            with pytest.raises(UsageError, match="0 documents cannot be read"):
                await shelf.ask("Which?", documents=0)


def _minutes(number: int, box: str) -> Document:
    """Return one of many documents that are alike but for a detail, which no gist has."""
    filler = " ".join(f"Item {item} was read and agreed without a vote." for item in range(1, 40))
    text = f"Minutes {number}\n\n{filler}\n\nThe spare key of lock {box} hangs behind the {box} stove.\n\n{filler}\n"
    return Document.from_text(text, title=f"Minutes {number}", source=f"/minutes/{number}.txt")


async def test_a_detail_that_no_card_has_is_found_among_many_documents_alike(tmp_path: Path) -> None:
    """The words that a search finds in a document are shown below its card, within the model's window."""
    boxes = [
        f"{first}{last}" for first in "badu leri moso niku pato rivi".split() for last in "dan fel gor hit".split()
    ]
    with Library(tmp_path) as library:
        model = ScriptedModel(_without_details)
        async with AsyncReadAgent(model, library=library, plan=PLAN, window=8192) as agent:
            shelf = AsyncShelf(agent, "minutes")
            for number, box in enumerate(boxes):
                await shelf.add(_minutes(number, box))
            right = 0
            for number, box in list(enumerate(boxes))[:15]:
                answer = await shelf.ask(f"Where does the spare key of lock {box} hang?", documents=1, check=False)
                right += [page.title for page in answer.pages[:1]] == [f"Minutes {number}"]
    assert right >= 13
    assert all(estimate_tokens(ask.prompt) <= 8192 for ask in model.asks)


def _without_details(ask: Ask) -> str:
    if ask.step == "gist":
        return "Gist: Items were read and agreed without a vote."
    return skim(ask.prompt)


LONG_PAGES = Plan(page_words=300, min_page_words=100)
WHERE = "Which private box of the post office belonged to the barge trade?"


async def test_a_look_up_is_one_call_that_is_paid_once_and_keeps_no_answer(tmp_path: Path) -> None:
    model = Counting()
    with Library(tmp_path) as library:
        async with AsyncReadAgent(model, library=library, plan=LONG_PAGES) as agent:
            memory = await agent.read(load(EXAMPLES / "story.txt"))
            before = len(model.asks)
            found = await agent.look_up(memory, WHERE, max_pages=2)
            assert [ask.step for ask in model.asks[before:]] == ["look_up"]
            assert any("number 14 had belonged for years to the barge trade" in one.text for one in found)
            assert await agent.look_up(memory, WHERE, max_pages=2) == found
            assert len(model.asks) == before + 1
        assert library.answers() == []


async def test_nothing_after_the_position_is_looked_up() -> None:
    async with AsyncReadAgent(Counting(), plan=LONG_PAGES) as agent:
        memory = await agent.read(load(EXAMPLES / "story.txt"))
        for one in await agent.look_up(memory, WHERE, up_to=2):
            assert one.end <= memory.pages[2].end


async def test_pages_from_a_shelf_name_their_documents() -> None:
    async with AsyncReadAgent(Counting(), plan=LONG_PAGES) as agent:
        shelf = AsyncShelf(agent, "texts")
        for name in ("story.txt", "meeting.txt"):
            await shelf.add(load(EXAMPLES / name))
        found = await shelf.look_up(WHERE)
        assert any("barge trade" in one.quote.text for one in found)
        for one in found:
            document = agent.library.document(one.document)
            assert one.title == document.title
            assert one.quote.text == document.text[one.quote.start : one.quote.end]
