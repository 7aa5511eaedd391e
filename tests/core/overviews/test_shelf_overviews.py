"""Overviews of a shelf: a summary of each document and of all, and questions about all documents at once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from planted import perfect, story
from readagent import AsyncReadAgent, AsyncShelf, Library
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from sessions import run

PLAN = Plan(page_words=200, min_page_words=80, max_pages=2)


async def shelf_of(model: object, folder: Path, documents: int = 3, window: int = 4096) -> AsyncShelf:
    agent = AsyncReadAgent(model, window=window, plan=PLAN, library=Library(folder))  # type: ignore[arg-type]
    shelf = AsyncShelf(agent, "mills")
    for number in range(documents):
        await shelf.add(await agent.read(_mill(number)))
    return shelf


def _mill(number: int) -> str:
    """The path of a story; its people differ from those of the others."""
    file = Path(f"mill{number}.txt")
    file.write_text(story(1500, 8, seed=number)[0].text, "utf-8")
    return str(file)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_summary_is_as_alone_and_that_of_all_names_its_documents(tmp_path: Path) -> None:
    async def told() -> None:
        shelf = await shelf_of(ScriptedModel(perfect), tmp_path / "library")
        memories = [await shelf.agent.recall(card.document) for card in shelf.cards()]
        alone = [await shelf.agent.summary(memory, words=60) for memory in memories if memory]
        made = await shelf.summary(words=60)
        paid = Counter(call.step for call in made.trace.calls if call.paid)
        assert paid == {"write": 1}  # those of the documents are in the library
        assert [summary.points for _, summary in made.documents] == [one.points for one in alone]
        texts = {memory.document.id: memory.document.text for memory in memories if memory}
        found = set()
        for point in made.whole.points:
            assert point.state == "supported"
            for page in made.sources(point):
                assert point.text in texts[page.document]
                found.add(page.title)
        assert found == {"mill0", "mill1", "mill2"}
        again = await shelf.summary(words=60)
        assert not any(call.paid for call in again.trace.calls)

    run(told())


def test_what_documents_disagree_on_is_told_with_the_pages_of_both_sides(tmp_path: Path) -> None:
    first, second = (story(1500, 8, seed=number)[2][0] for number in range(2))

    def telling(ask: Ask) -> str:
        if "WHOLE TEXT" in ask.prompt:
            return "WHOLE TEXT"
        if ask.step != "write":
            return perfect(ask)
        assert "<Document " in ask.prompt
        pages = [_page_with(ask.prompt, event) for event in (first, second)]
        return f"In mill0 {first[:-1]}, but in mill1 {second[:-1]} [Page {pages[0]}, {pages[1]}]."

    async def asked() -> None:
        shelf = await shelf_of(ScriptedModel(telling), tmp_path / "library", documents=2)
        answer = await shelf.ask("What do these documents disagree on?")
        assert answer.over_all
        assert answer.text.endswith("(mill0, page 1; mill1, page 1)")
        assert [(page.title, page.page) for page in answer.pages] == [("mill0", 0), ("mill1", 0)]
        assert [(one.title, one.quote.text) for one in answer.quotes] == [("mill0", first), ("mill1", second)]
        assert [one.quotes for one in answer.statements] == [(0, 1)]
        compared = await shelf.ask("What do these documents disagree on?", compare=True)
        assert compared.lines
        assert not compared.over_all

    run(asked())


def _page_with(prompt: str, text: str) -> str:
    before = prompt.partition(text)[0]
    return re.findall(r"<Page (\d+)>", before)[-1]
