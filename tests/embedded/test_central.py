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
    sentences = [one.partition(" [Page ")[0] for one in told]
    assert all(one in memory.document.text for one in sentences)
    assert 0.7 * words < sum(map(count_words, sentences)) < 1.5 * words
    assert not any("disfmarker" in one or one in ("Okay.", "Well, so it is.") for one in sentences)
    pages = [int(one.rpartition("[Page ")[2].rstrip("]")) for one in told]
    assert pages == sorted(pages)
    if len(pages) > 2:
        assert pages[0] < 4
        assert pages[-1] > 5


async def test_code_and_rows_of_tables_are_no_sentences_of_a_summary() -> None:
    pages = [
        "The remote control has one battery and a cheap green cover for children. Parents: 4 CARD32 N_PARENTS "
        "4*N_PARENTS CARD32 remote control battery cover green MIME_TYPE_OFFSET 12*N_LITERALS 0x100.",
        '<control type="remote"> <battery>one</battery> <cover>green remote control battery cover</cover> </control>.',
        "| remote | control | battery | cover | green | | 1 | 2 | 3 | 4 | 5 |. The voice command of the remote control "
        "needs a second battery.",
    ]
    memory = member("Manual", *pages).memory
    memory = replace(memory, gists=tuple(Gist(page, count_words(page)) for page in pages))
    embedder: Any = WordMeanings()
    told = await central(memory, range(len(pages)), 90, embedder)
    assert [one.partition(" [Page ")[0] for one in told] == [
        "The remote control has one battery and a cheap green cover for children.",
        "The voice command of the remote control needs a second battery.",
    ]
