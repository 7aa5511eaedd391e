"""What offline overviews and shelves are made of: sentences from all parts of the text, computed once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, AsyncShelf, Document, Library, Plan
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Ask, Material
from readagent.core.words import count_words
from readagent.embedded.model import LocalModel
from readagent.embedded.overviews import central, overview_reply
from readagent.errors import UsageError
from shelf_members import member

pytestmark = pytest.mark.anyio

GIST = "Anna Weber met a lawyer."
FIRST = (
    "Anna Weber met a lawyer in Prague on 2 March 1975. Anna Weber smiled. Mr. Novak was the lawyer. Mr. Novak left."
)
REST = "Miss {0} of the {1} Company wrote a letter on 5 May {2}. Miss {0} said hello. The {1} Company paid for it."
TEXT = f"{FIRST}\n\n{REST.format('Harper', 'Acme', 1980)}"
OTHER = f"{FIRST.replace('Prague', 'Vienna')}\n\n{REST.format('Lincoln', 'Bolt', 1990)}"
KINDS = ("timeline", "summary")


class SameGists(LocalModel):
    """The offline reader, with one gist for every page."""

    async def _extract_gist(self, passage: str, words: int) -> str:
        return GIST


def agent_in(folder: Path) -> AsyncReadAgent:
    plan = Plan(page_words=400, min_page_words=100, gist_words=10)
    return AsyncReadAgent(SameGists(WordMeanings(), WordReader()), library=Library(folder), plan=plan)


async def told(agent: AsyncReadAgent, memory: GistMemory, kind: str, up_to: str | None = None) -> str:
    options = {"words": 12} if kind == "summary" else {}
    result = await getattr(agent, kind)(memory, up_to=up_to, **options)
    return f"{getattr(result, 'points', None) or list(result)} {result.dropped}"


@pytest.mark.parametrize("kind", KINDS)
async def test_an_overview_is_the_same_whatever_was_asked_before(tmp_path: Path, kind: str) -> None:
    async def run(name: str, *wanted: tuple[str, str | None]) -> list[str]:
        async with agent_in(tmp_path / name) as agent:
            return [await told(agent, await agent.read(Document.from_text(text)), kind, to) for text, to in wanted]

    whole, half, other = (TEXT, None), (TEXT, "50%"), (OTHER, None)
    (alone,), (half_alone,), (other_alone,) = await run("a", whole), await run("b", half), await run("c", other)
    assert await run("d", half, whole, other, half) == [half_alone, alone, other_alone, half_alone]
    assert await run("e", other, whole, half) == [other_alone, alone, half_alone]
    assert not any(word in half_alone for word in ("Harper", "Acme", "1980"))


async def test_copied_sentences_of_parts_are_supported() -> None:
    sentence = "On day {0} of 1959 the barge of A. Roth left the slip with {0} tonnes of salt, and nobody weighed it."
    text = "\n\n".join(" ".join(sentence.format(10 * page + at) for at in range(5)) for page in range(12))
    plan = Plan(page_words=120, min_page_words=60)
    async with AsyncReadAgent(LocalModel(WordMeanings(), WordReader()), plan=plan) as agent:
        made = await agent.outline(await agent.read(Document.from_text(text)))
    assert made.dropped == ()
    assert len(made) > 1
    assert all(one.points for one in made)
    assert {point.state for one in made for point in one.points} == {"supported"}


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
            compared = await shelf.ask("Who watches wind and stars on ships?", compare=True)
    assert answer.documents[0].title == "Ships"
    assert all(fallback.step != "look_up" for fallback in answer.trace.fallbacks)
    assert any("captain watches wind" in cited.quote.text for cited in answer.quotes)
    assert [line.title for line in compared.lines if "captain" in line.text] == ["Ships"]


NAMES = "Anna Bert Clara David Edith Frank Greta Heinz Irene Jonas".split()
PAGES = [
    f"{name}: and um {{disfmarker}} yes. {name} says the remote control needs one battery and a cheap cover. Well, so it is. "
    f"{name} wants a green button for the voice command of the remote control. Okay."
    for name in NAMES
]


@pytest.mark.parametrize("words", [15, 60, 120])
async def test_a_summary_has_about_as_many_words_as_asked_for_and_no_fillers(words: int) -> None:
    memory = member("Meeting", *PAGES).memory
    memory = replace(memory, gists=tuple(Gist(page, count_words(page)) for page in PAGES))
    embedder: Any = WordMeanings()
    told = await central(memory, range(len(PAGES)), words, embedder)
    pages, sentences = [page for page, _ in told], [text for _, text in told]
    assert all(one in memory.document.text for one in sentences)
    assert 0.7 * words < sum(map(count_words, sentences)) < 1.5 * words
    assert not any("disfmarker" in one or one in ("Okay.", "Well, so it is.") for one in sentences)
    assert pages == sorted(pages)
    if len(pages) > 2:
        assert pages[0] < 4
        assert pages[-1] > 5


async def lines(kind: str, text: str) -> list[str]:
    memory = member("Text", text).memory
    embedder: Any = WordMeanings()
    ask = Ask("collect", "", material=Material(memory=memory, opened=(0,), kind=kind))
    return (await overview_reply(ask, embedder)).splitlines()


@pytest.mark.parametrize(
    "sentence",
    ["From 1939 to 1945 they hid there.", "On Sept. 3, 1939 war came to us."],
)
async def test_a_short_sentence_with_a_date_is_an_event(sentence: str) -> None:
    (line,) = await lines("timeline", sentence)
    assert sentence in line


@pytest.mark.parametrize("heading", ["London, 12 May 1811", "New York, 12 May 1811.", "May 1811", "1812: Moscow"])
async def test_a_date_with_a_place_is_no_event(heading: str) -> None:
    assert await lines("timeline", heading) == ["NONE"]


async def test_people_need_a_model(tmp_path: Path) -> None:
    async with AsyncReadAgent(LocalModel(WordMeanings(), WordReader()), library=Library(tmp_path)) as agent:
        memory = await agent.read(Document.from_text("Anna Weber met a lawyer in Prague. Mr. Novak was the lawyer."))
        with pytest.raises(UsageError, match="extracting people needs a model") as caught:
            await agent.extract(memory, "people")
    assert "summary, outline and `extract … timeline`" in caught.value.hint
