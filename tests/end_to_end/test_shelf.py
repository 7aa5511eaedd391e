"""Shelves through the Python API: read, ask and compare with a real library, a skimmer and a faulty server."""

from __future__ import annotations

from pathlib import Path

import pytest

from meanings import WordMeanings
from readagent import AsyncReadAgent, AsyncShelf, Document, Library, Plan, Question
from readagent.core.model import Ask
from readagent.core.tokens import estimate_tokens
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel, Skimmer
from readagent.testing.skim import skim

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
