"""People, entities and notes: mentions are counted inside the part that was asked for, and nobody is joined wrongly."""

from __future__ import annotations

import re

from readagent.core.overviews.person_names import mentions, people_in

from readagent import AsyncReadAgent, Document
from readagent.core.model import Ask
from readagent.core.overviews.collect import Item
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
        return "\n".join(f"Anna Abel | - | opens gates | - [Page {page}]\nBruno Brandt | Bruno | waits | - [Page {page}]"
                         for page in pages)  # fmt: skip
    if ask.step == "collect":
        return "\n".join(f"Brenza mill | mill | a mill with gates [Page {page}]" for page in pages)
    return skim(ask.prompt)


def agent() -> AsyncReadAgent:
    return AsyncReadAgent(ScriptedModel(listing), plan=PLAN)


def item(name: str, others: str = "", window: int = 0) -> Item:
    return Item((name, others, "", ""), (window,), window)


def test_a_cut_page_counts_only_inside_the_cut() -> None:
    text = " ".join(SENTENCES)

    async def told() -> None:
        memory = await agent().read(Document.from_text(text), merge=False)
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


def test_a_first_name_with_another_surname_is_another_person() -> None:
    text = (
        "Here is James B. (“Rot-Gut”) Ferret. James Gatz rowed out. They called him James. James J. Hill built it. "
        "James Ferret ran. The James Gatzes were gone. James the sailor laughed. James and Dan left."
    )
    (gatz,) = mentions(people_in([item("James Gatz")]), text)
    assert [text[at:].split(".")[0] for at in gatz] == [
        "James Gatz rowed out",
        "James",
        "James Gatzes were gone",
        "James the sailor laughed",
        "James and Dan left",
    ]
    german = (
        "Dann hatte der Junge wieder Angst, und auch Anna Angst vor dem Wasser. Die Mutter sah, dass Anna nicht kam."
    )
    assert len(mentions(people_in([item("Anna Abel")]), german)[0]) == 2
