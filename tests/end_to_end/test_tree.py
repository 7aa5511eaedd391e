"""The index of a long text in the library: made once, renewed at its end, and the same for every window."""

from __future__ import annotations

from pathlib import Path

import pytest

from readagent import Library, Plan, ReadAgent
from sessions import Counting, prose

PLAN = Plan(page_words=60, min_page_words=30, pauses="uniform", check=False, look_up="direct")
LONG = prose(500)  # 7,500 words


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library.db")


def entries(model: Counting) -> int:
    return sum(ask.step == "merge" for ask in model.asks)


def test_an_index_is_made_while_reading_and_used_in_every_window(library: Library) -> None:
    model = Counting()
    with library, ReadAgent(model, library=library, plan=PLAN, window=8192) as agent:
        memory = agent.read(LONG)
        assert entries(model) > 2
        for window, word in ((4096, 6001), (32_768, 3001)):
            later = Counting()
            with ReadAgent(later, library=library, plan=PLAN, window=window) as other:
                known = other.recall(LONG.id)
                assert known is not None
                assert known.pages == memory.pages
                answer = other.ask(known, f"What of w{word} and w{word + 1}?")
            assert entries(later) == 0
            assert "<Part 1, pages" in later.asks[0].prompt
            assert any(f"w{word} " in memory.page_text(page) for page in answer.pages)
