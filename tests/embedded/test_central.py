"""The offline summary: sentences of the text that tell something, from all parts of it, as long as asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from meanings import WordMeanings
from readagent.core.memory import Gist
from readagent.core.words import count_words
from readagent.embedded.overviews import central
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
