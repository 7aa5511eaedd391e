"""People, entities and notes: rows and statements are read in their form, counted inside the part, and nobody is joined wrongly."""

from __future__ import annotations

import json
import re

import pytest

from readagent import AsyncReadAgent, Document
from readagent.core.model import Ask
from readagent.core.overviews.cited import points_in
from readagent.core.overviews.lists import calendar_key, iso_date
from readagent.core.overviews.mentions import find_names
from readagent.core.plan import Plan
from readagent.core.rows import Row, Rows
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


PAGES = range(20)


@pytest.mark.parametrize(
    "reply",
    [
        "She leaves the island [Page 3]. Nobody follows her [Page 3, 4].",
        "She leaves the island (p. 3). Nobody follows her (pp. 3-4).",
        "- She leaves the island. [Page 3]\n- Nobody follows her. [Page 3–4]",
        "**Summary**\nShe leaves the island [Page 3]. Nobody follows her [Page 3, 4, 99].",
        "```\nShe leaves the island [3]. Nobody follows her [3, 4].\n```",
    ],
)
def test_every_usual_form_gives_the_same_statements(reply: str) -> None:
    points = points_in(reply, PAGES)
    assert [(one.text, one.pages) for one in points] == [
        ("She leaves the island.", (3,)),
        ("Nobody follows her.", (3, 4)),
    ]


def test_sentences_before_a_citation_share_its_pages() -> None:
    points = points_in("She leaves. He stays. [Page 2]", PAGES)
    assert [(one.text, one.pages) for one in points] == [("She leaves.", (2,)), ("He stays.", (2,))]


def test_references_of_the_text_are_not_pages_where_pages_are_named() -> None:
    (point,) = points_in("It follows earlier work [12] closely [Page 3].", PAGES)
    assert point.pages == (3,)
    assert "[12]" in point.text


@pytest.mark.parametrize(
    "reply",
    ["", "[Page 3]", "[[[]]] (p. ) [Page x]", "I'm sorry, I cannot do that.", "She leaves [Page 99].", "She leaves."],
)
def test_what_names_no_page_is_no_statement(reply: str) -> None:
    assert points_in(reply, PAGES) == []


@pytest.mark.parametrize("date", ["1805", "1805-12", "1805-12-02", "1840/1849", "1812-03/1812-05", "-0044-03-15"])
def test_a_date_in_iso_form_is_kept(date: str) -> None:
    assert iso_date(f" {date} ") == date


@pytest.mark.parametrize(
    "told", ["", "-", "unknown", "spring of 1812", "1805-13", "1805-12-40", "44 BC", "1840/", "80"]
)
def test_anything_else_is_no_date(told: str) -> None:
    assert iso_date(told) == ""


def test_what_begins_earlier_comes_first_and_of_two_the_longer_one() -> None:
    dates = ["-0044", "1805", "1805-01", "1805-01-01", "1805-12-02", "1840/1849", "1840"]
    mixed = [*dates[3:], *dates[:3]]
    assert sorted(mixed, key=calendar_key) == dates


FORM = Rows(("name", "who"), tuple(range(20)))
TWO = (Row(("Anna", "a miller"), (3,)), Row(("Bruno", ""), (3, 4)))


@pytest.mark.parametrize(
    "reply",
    [
        "Anna | a miller | 3\nBruno | - | 3, 4",
        "- **Anna** | a miller | Page 3\n- Bruno | | [Pages 3-4]",
        "| name | who | pages |\n|---|---|---|\n| Anna | a miller | 3 |\n| Bruno | - | 3 and 4 |",
        "Here are the people:\n\n1. Anna | a miller | p. 3\n2. Bruno | ... | pp. 3, 4, 99\n\nI hope this helps!",
        "Anna | a miller | 3\nBruno | - | 3、4",
        "Anna | a miller | 3\nBruno | - | 3，4",
        "<think>Anna | maybe | 3</think>```\nAnna | a miller | 3\nBruno | - | 3, 4\n```",
        json.dumps({"rows": [{"name": "Anna", "who": "a miller", "pages": [3]},
                             {"name": "Bruno", "who": "", "pages": [3, 4]}]}),
    ],
)  # fmt: skip
def test_rows_are_read(reply: str) -> None:
    table = FORM.parse(reply)
    assert (table.rows, table.broken, table.empty) == (TWO, 0, False)


@pytest.mark.parametrize(
    "line",
    ["Anna | a miller", "Anna | a miller | 99", "Anna | a miller | none", "Anna | a | miller | 3", "- | ... | 3"],
)
def test_another_number_of_fields_or_no_page_is_no_row(line: str) -> None:
    table = FORM.parse(line)
    assert (table.rows, table.broken) == ((), 1)


@pytest.mark.parametrize("reply", ["NONE", "**NONE**", '{"rows": []}'])
def test_nothing_is_said_in_a_word(reply: str) -> None:
    assert FORM.parse(reply).empty


@pytest.mark.parametrize(
    "reply", ["", "I'm sorry, but I can't help with that.", "Es gibt hier niemanden.", "name | who | pages"]
)
def test_a_text_is_neither_rows_nor_nothing(reply: str) -> None:
    table = FORM.parse(reply)
    assert not table.rows
    assert not table.empty


def test_the_last_line_of_a_reply_that_was_cut_is_left_out() -> None:
    assert FORM.parse("Anna | a miller | 3\nBruno | - | 3", cut=True).rows == TWO[:1]
    assert (
        FORM.parse('{"rows": [{"name": "Anna", "who": "a miller", "pages": [3]}, {"name": "Br', cut=True).rows
        == TWO[:1]
    )
