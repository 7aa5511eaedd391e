"""Events that the offline reader finds by their year, as the lines that a model would reply with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Library
from readagent.core.model import Ask, Material
from readagent.embedded.model import LocalModel
from readagent.embedded.overviews import overview_reply
from readagent.errors import UsageError
from shelf_members import member

pytestmark = pytest.mark.anyio


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
