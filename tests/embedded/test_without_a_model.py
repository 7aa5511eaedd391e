"""What the offline reader does for a shelf, and what it says needs a model."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, AsyncShelf, Document, Library, Plan
from readagent.embedded.model import LocalModel
from readagent.errors import UsageError
from shelf_members import member

pytestmark = pytest.mark.anyio

SUBJECTS = {
    "Bread": "Bread is baked from flour in a hot oven by the baker, who rises early.",
    "Ships": "Ships cross the sea under sail, and the captain watches wind and stars.",
    "Gardens": "Gardens need water and patience, and the gardener cuts the roses in March.",
    "Clocks": "Clocks are mended by the watchmaker, who counts the teeth of every wheel.",
}


@pytest.mark.parametrize("documents", [1, 2])
async def test_it_chooses_and_answers_without_a_language_model(tmp_path: Path, documents: int) -> None:
    with Library(tmp_path) as library:
        plan = Plan(page_words=60, min_page_words=20)
        async with AsyncReadAgent(LocalModel(WordMeanings(), WordReader()), library=library, plan=plan) as agent:
            shelf = AsyncShelf(agent, "subjects", embedder=WordMeanings())
            for title, text in SUBJECTS.items():
                filler = " ".join(f"{text} So it has been for {number} years." for number in range(8))
                await shelf.add(Document.from_text(f"{text}\n\n{filler}", title=title))
            answer = await shelf.ask("Who watches wind and stars on ships?", documents=documents)
    assert answer.documents[0].title == "Ships"
    assert all(fallback.step != "look_up" for fallback in answer.trace.fallbacks)
    assert any("captain watches wind" in cited.quote.text for cited in answer.quotes)


@pytest.mark.parametrize("kind", ["summary", "outline", "people", "timeline"])
async def test_an_overview_needs_a_model(tmp_path: Path, kind: str) -> None:
    async with AsyncReadAgent.local(library=Library(tmp_path)) as agent:
        with pytest.raises(UsageError, match=f"{kind} needs a model") as caught:
            await getattr(agent, kind)(member("Text", "Anna met a lawyer in 1911.").memory)
    assert "readagent model pull qwen" in caught.value.hint
