"""A memory tree in the library: all levels are kept, a growing text renews its last branch, and hints are on."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent import Library, Plan, ReadAgent
from readagent.core.memory import GistMemory
from sessions import Counting, prose

PLAN = Plan(page_words=60, min_page_words=30, pauses="uniform", check=False)
WINDOW = 1500
LONG = prose(500)  # 7,500 words


def levels(memory: GistMemory) -> list[GistMemory]:
    return [memory, *(levels(memory.finer) if memory.finer is not None else [])]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library.db")


def test_all_levels_of_a_tree_are_kept(library: Library) -> None:
    with library, ReadAgent(Counting(), library=library, plan=PLAN, window=WINDOW) as agent:
        tree = agent.read(LONG)
        assert len(levels(tree)) >= 3
        model = Counting()
        with ReadAgent(model, library=library, plan=PLAN, window=WINDOW) as other:
            again = other.recall(LONG.id)
        assert again is not None
        assert [(level.pages, level.gists) for level in levels(again)] == [
            (level.pages, level.gists) for level in levels(tree)
        ]
        assert not model.asks


def test_after_more_text_little_of_the_tree_is_new(library: Library) -> None:
    model = Counting()
    with library, ReadAgent(model, library=library, plan=PLAN, window=WINDOW) as agent:
        agent.read(LONG)
        entries = sum(ask.step == "merge" for ask in model.asks)
        model.asks.clear()
        longer = agent.append(agent.read(LONG), "So it ended. " * 20)
        grown = agent.recall(longer.document.id)
        assert grown is not None
        assert "".join(map(grown.page_text, range(len(grown.pages)))) == longer.document.text
        assert 0 < sum(ask.step == "merge" for ask in model.asks) <= entries // 4


def test_a_question_is_led_down_the_tree_with_hints(library: Library) -> None:
    model = Counting()
    with library, ReadAgent(model, library=library, plan=PLAN, window=WINDOW) as agent:
        tree = agent.read(LONG)
        model.asks.clear()
        agent.ask(tree.whole, "What of w6001 and w6002?")
        asked = [ask for ask in model.asks if ask.step == "look_up"]
        assert len(asked) >= len(levels(tree))
        pages = asked[len(levels(tree)) - 1]  # after parts were chosen on every level
        view = pages.material.memory
        assert view is not None
        found = [page for page in view.pages if "w6001 " in view.page_text(page.number)]
        assert [page.words <= 60 for page in found] == [True]  # a page of its own, which can be opened
        assert f"Page {found[0].number}" in pages.prompt.partition("likeliest first")[2]
        assert "A search by words finds" in asked[0].prompt
        model.asks.clear()
        agent.ask(tree.whole, "What of w3000 and w3001?", hints=False)
        assert not any("A search by words finds" in ask.prompt for ask in model.asks)
