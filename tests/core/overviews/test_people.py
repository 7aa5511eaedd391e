"""People, entities and notes: mentions are counted inside the part that was asked for, and nobody is joined wrongly."""

from __future__ import annotations

import re

from readagent import AsyncReadAgent, Document
from readagent.core.model import Ask
from readagent.core.overviews.mentions import find_names
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from readagent.testing.skim import skim
from sessions import run

PLAN = Plan(page_words=60, min_page_words=30)
SENTENCES = [
    f"Anna Abel opened gate number{at} of the Brenza mill and met Bruno{'' if at % 2 else ' Brandt'} there."
    for at in range(24)
]


def listing(ask: Ask) -> str:
    """Name Anna, Bruno and the mill on every page that is shown."""
    pages = re.findall(r"^<Page (\d+)>", ask.prompt, re.M)
    if ask.step == "collect" and "other names" in ask.prompt:
        return "\n".join(f"Anna Abel | - | opens gates | - | {page}\nBruno Brandt | Bruno | waits | - | {page}"
                         for page in pages)  # fmt: skip
    if ask.step == "collect":
        return "\n".join(f"Brenza mill | mill | a mill with gates | {page}" for page in pages)
    return skim(ask.prompt)


def agent() -> AsyncReadAgent:
    return AsyncReadAgent(ScriptedModel(listing), plan=PLAN)


def test_a_cut_page_counts_only_inside_the_cut() -> None:
    text = " ".join(SENTENCES)

    async def told() -> None:
        memory = await agent().read(Document.from_text(text))
        first, last = text.index(SENTENCES[7]), text.index(SENTENCES[15]) + len(SENTENCES[15])
        assert first not in {page.start for page in memory.pages}
        for options, start, end in (
            ({"start": SENTENCES[6], "end": SENTENCES[15]}, first, last),
            ({"up_to": SENTENCES[15]}, 0, last),
        ):
            people = {one.name: one for one in await agent().people(memory, check=False, **options)}  # type: ignore[arg-type]
            (mill,) = await agent().entities(memory, check=False, **options)  # type: ignore[arg-type]
            for one, form in ((people["Anna Abel"], "Anna"), (people["Bruno Brandt"], "Bruno"), (mill, "Brenza")):
                offsets = [found.start() for found in re.finditer(form, text[:end]) if found.start() >= start]
                assert (one.mentions, one.first, one.last) == (len(offsets), offsets[0], offsets[-1])
                assert set(one.pages) == {memory.page_at(offset) for offset in offsets}

    run(told())


def test_a_word_of_a_name_counts_if_it_is_nobody_elses_and_no_usual_word() -> None:
    text = "Captain Ida Gray met Tom Gray. The captain waved. Captain! Ida called Tom, and Gray laughed."
    ida, tom = find_names([["Captain Ida Gray"], ["Tom Gray"]], text, parts=True)
    assert [text[at:].split()[0] for at in ida] == ["Captain", "Ida"]
    assert [text[at:].split()[0].strip(",") for at in tom] == ["Tom", "Tom"]


def test_relations_are_kept_to_those_who_are_listed() -> None:
    def told(ask: Ask) -> str:
        if ask.step == "collect":
            return "Anna Abel | Anna | a miller | wife: Bruno; owner: the mill | 0\nBruno Brandt | Bruno | - | - | 0"
        return skim(ask.prompt)

    async def found() -> None:
        one = AsyncReadAgent(ScriptedModel(told), plan=PLAN)
        memory = await one.read(Document.from_text(SENTENCES[1]))
        people = {person.name: person for person in await one.extract(memory, "people", check=False)}
        assert people["Anna Abel"].relations == (("wife", "Bruno Brandt"),)

    run(found())


def test_rows_under_headings_of_ones_own() -> None:
    def told(ask: Ask) -> str:
        if ask.step == "collect":
            assert "gate | who opened it | pages" in ask.prompt
            return "gate number1 | Anna Abel | 0\ngate number99 | Anna Abel | 0"
        return "1: yes\n2: no" if ask.step == "check" else skim(ask.prompt)

    async def found() -> None:
        one = AsyncReadAgent(ScriptedModel(told), plan=PLAN)
        memory = await one.read(Document.from_text(SENTENCES[1]))
        made = await one.extract(memory, "gate, who opened it, page")
        assert [row.fields for row in made] == [(("gate", "gate number1"), ("who opened it", "Anna Abel"))]
        assert made[0].point.quote is not None
        assert len(made.dropped) == 1

    run(found())
