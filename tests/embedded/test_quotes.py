"""Quotes are verbatim, including white space."""

from __future__ import annotations

import pytest

from sessions import read_and_fit, run

pytest.importorskip("numpy", reason="needs the extra `local`")

from hypothesis import given, settings
from hypothesis import strategies as st

from meanings import WordMeanings, WordReader
from readagent.core.document import Document
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.embedded.extracts import find_extracts
from readagent.embedded.model import LocalModel
from readagent.retrieval.evidence import HybridHinter

DIALOGUE = """The steamer was gone, and nobody knew since when.

"Where is it?" asked Desmond.

"In the kitchen," said Ines.
"With the urn."

* * *

Nobody had looked in the kitchen.
"""
PIECES = st.sampled_from(
    ["The key was brass.", "Ask Mr. Roth!", "“Where?” he said.", "* * *", "Yes", "no.", "\n", "\n\n", "  ", "\t", "...",
     "The salt lay\nin heaps.", "What of the key?", "***", "# Two", "a very long tale " * 30, "鍵。塩は？"]
)  # fmt: skip
QUESTION = "Where is the brass key, and what of the salt?"


def session() -> Session:
    return Session(LocalModel(WordMeanings(), WordReader()), Prompts.load(), Plan(page_words=80, min_page_words=20))


@settings(max_examples=60)
@given(st.lists(PIECES, min_size=1, max_size=40), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_every_quote_is_a_slice_of_its_page(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    if not text.strip():
        return
    memory = run(read_and_fit(Document.from_text(text), session()))
    near = run(HybridHinter(WordMeanings()).passages(memory, QUESTION, most=6))
    assert all(memory.page_text(one.page).startswith(one.text, one.start) for one in near)
    for extract in run(find_extracts(QUESTION, near, WordReader())):
        assert extract.quote in memory.page_text(extract.page)
        assert extract.quote == extract.quote.strip()
        assert extract.text in extract.passage


def test_a_quote_over_several_paragraphs_keeps_their_white_space() -> None:
    memory = run(read_and_fit(Document.from_text(DIALOGUE), session()))
    answer = run(ask(memory, Question("Where is it, asked Desmond?"), session()))
    shown = " ".join(quote.text for quote in answer.quotes)
    assert '"Where is it?" asked Desmond.\n\n"In the kitchen," said Ines.\n"With the urn' in shown
    assert "* * *" not in shown


LISTING = """It was added in Git 1.5.3, and this is how it is used:

$ cat a.txt
module "a"
"""


@pytest.mark.parametrize(
    "text", [LISTING + "$ cd a\n" * 200, '"He said: "No."\n\n"And then?"\n\nThen he left Git 1.5.3."']
)
def test_the_lines_of_a_quote_are_never_part_of_the_answer(text: str) -> None:
    memory = run(read_and_fit(Document.from_text(text), session()))
    answer = run(ask(memory, Question("Which Git 1.5.3?"), session()))
    assert answer.found_in_text
    assert "\n" not in answer.text
    assert answer.false_quotes == 0
    assert all(quote.text in memory.document.text for quote in answer.quotes)
    assert all(len(quote.text.split()) <= 200 for quote in answer.quotes)


MANUAL = """Intro to the tool.

+++ +++ +++

2.4. Where the brass key is

The brass key lies in the red box. It opens the door.

| key | brass |
| --- | --- |

3.

Nothing else is said of the salt here."""


@pytest.mark.parametrize(
    "question",
    [
        "Is the brass key in the red box?",
        "Does the key open the door?",
    ],
)
def test_a_question_that_an_extract_cannot_answer_gets_passages_only(question: str) -> None:
    memory = run(read_and_fit(Document.from_text(MANUAL), session()))
    answer = run(ask(memory, Question(question), session()))
    assert answer.text.startswith("Not found. The offline reader ")
    assert not answer.found_in_text
    assert answer.quotes
