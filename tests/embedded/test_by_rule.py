"""People and events that the offline reader finds by rule, as the lines that a model would reply with."""

from __future__ import annotations

from typing import Any

import pytest

from meanings import WordMeanings
from readagent.core.model import Ask, Material
from readagent.embedded.overviews import overview_reply
from shelf_members import member

pytestmark = pytest.mark.anyio


async def lines(kind: str, text: str) -> list[str]:
    memory = member("Text", text).memory
    embedder: Any = WordMeanings()
    ask = Ask("collect", "", material=Material(memory=memory, opened=(0,), kind=kind))
    return (await overview_reply(ask, embedder)).splitlines()


@pytest.mark.parametrize(
    "sentence",
    ["From 1939 to 1945 they hid.", "Sept. 3, 1939 war came."],
)
async def test_a_short_sentence_with_a_date_is_an_event(sentence: str) -> None:
    (line,) = await lines("timeline", sentence)
    assert sentence in line


@pytest.mark.parametrize("heading", ["London, 12 May 1811", "New York, 12 May 1811.", "May 1811", "1812: Moscow"])
async def test_a_date_with_a_place_is_no_event(heading: str) -> None:
    assert await lines("timeline", heading) == ["NONE"]
