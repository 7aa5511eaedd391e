"""What is printed and exported about an answer that is an extract of its first quote."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.cli.output import answer_record, evidence_lines
from readagent.cli.screen import style
from readagent.core.asking.verify import quote_at
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Quote, find_extract
from readagent.core.trace import Trace

TEXT = "The ferry was built in 1911 by\nTomas Brandt, who had never seen the sea."


def answered(text: str, certainty: float | None, *, found: bool = True) -> tuple[GistMemory, Answer]:
    document = Document.from_text(TEXT)
    page = Page(0, 0, len(document.text), document.words)
    memory = GistMemory(document, (page,), (Gist("A ferry.", 2),), Plan(), "some model", "prompts")
    quote = Quote(document.text, 0, 0, 0, len(document.text))
    return memory, Answer(
        Question("Who built it?"),
        text,
        None,
        (0,),
        (),
        0.0,
        Trace(),
        (quote,),
        found_in_text=found,
        certainty=certainty,
    )


def test_an_extract_is_bold_in_its_quote_and_has_its_place_in_json() -> None:
    memory, answer = answered("1911 by Tomas Brandt", 0.83)
    certain, quote, _ = evidence_lines(memory, answer)
    assert certain == style("certainty: 83%", dim=True, fg=None)
    assert f"built in {style('1911 by Tomas Brandt', bold=True)}, who" in quote
    record = answer_record(memory, answer)
    start, end = record["extract"]
    assert TEXT[start:end] == "1911 by\nTomas Brandt"
    assert record["certainty"] == 0.83


def test_the_place_of_an_extract_is_the_page_that_it_stands_on() -> None:
    memory, answer = answered("Tomas Brandt", 0.83)
    (paragraph,) = memory.document.paragraphs
    marks = ((TEXT.index("Tomas"), "page 7"),)
    document = replace(memory.document, paragraphs=(replace(paragraph, place="page 6", marks=marks),))
    memory = replace(memory, document=document)
    answer = replace(answer, quotes=(quote_at(memory, 0, len(TEXT)),), document=document)
    assert evidence_lines(memory, answer)[1].endswith(style("(pp. 6-7)", dim=True))
    record = answer_record(memory, answer)
    assert record["quotes"][0]["place"] == "pp. 6-7"
    assert record["extract_place"] == answer.extract_place == "p. 7"


@pytest.mark.parametrize(("text", "found"), [("Ann", True)])
def test_other_answers_are_no_extracts(text: str, found: bool) -> None:
    memory, answer = answered(text, None, found=found)
    assert answer.extract is None
    assert style("", bold=True)[:-4] not in "".join(evidence_lines(memory, answer))
    assert answer_record(memory, answer)["extract"] is None


@pytest.mark.parametrize(
    ("answer", "quote", "span"),
    [("a key", "It was a\n key.", (7, 13)), ("b.c", "bxc", None)],
)
def test_an_extract_has_whole_words_and_any_white_space(answer: str, quote: str, span: tuple[int, int] | None) -> None:
    assert find_extract(answer, quote) == span
