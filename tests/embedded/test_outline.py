"""The offline outline: every chapter is told in its own sentences."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Plan
from readagent.embedded.model import LocalModel

pytestmark = pytest.mark.anyio


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
