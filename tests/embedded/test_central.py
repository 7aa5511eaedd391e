"""What offline overviews are made of: sentences from all parts of the text, and events with their years."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Library
from readagent.core.memory import Gist
from readagent.core.model import Ask, Material
from readagent.core.words import count_words
from readagent.embedded.model import LocalModel
from readagent.embedded.overviews import central, overview_reply
from readagent.errors import UsageError
from shelf_members import member

pytestmark = pytest.mark.anyio

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
    assert "summary, outline and timeline" in caught.value.hint
