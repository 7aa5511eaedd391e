"""The offline outline: every chapter is told in its own sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings, WordReader
from readagent import AsyncReadAgent, Document, Plan, load
from readagent.embedded.model import LocalModel

pytestmark = pytest.mark.anyio

CHAPTERS = {
    "The mill": "Anna runs the old mill beside the river all by herself. She grinds corn for every farmer in the valley.",
    "The boat": "Tom builds a red boat in the harbour during the winter. He sails it to Spain when the spring comes.",
    "The storm": "A terrible storm breaks the roof of the church in October. The villagers repair it with wood from the hills.",
}  # fmt: skip


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


@pytest.mark.slow
async def test_chapters_on_one_page_share_no_sentence(tmp_path: Path) -> None:
    text = "\n\n".join(f"# {title}\n\n{text}" for title, text in CHAPTERS.items())
    (tmp_path / "mill.md").write_text(text, "utf-8")
    async with AsyncReadAgent(LocalModel(WordMeanings(), WordReader()), plan=Plan(page_words=600)) as agent:
        memory = await agent.read(load(tmp_path / "mill.md"))
        assert len(memory.pages) == 1
        sections = (await agent.outline(memory)).items
    assert [one.title for one in sections] == list(CHAPTERS)
    for section in sections:
        assert section.points
        assert all(point.text in CHAPTERS[section.title] for point in section.points)
