"""Quotes are verbatim, including white space."""

from __future__ import annotations

import pytest

from sessions import read_and_fit, run

pytest.importorskip("numpy", reason="needs the extra `local`")

from hypothesis import given, settings
from hypothesis import strategies as st

from meanings import WordMeanings
from readagent.core.document import Document
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.embedded.answer import find_support, select_quotes
from readagent.embedded.model import LocalModel

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
    return Session(LocalModel(WordMeanings()), Prompts.load(), Plan(page_words=80, min_page_words=20))


@settings(max_examples=60)
@given(st.lists(PIECES, min_size=1, max_size=40), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_every_quote_is_a_slice_of_its_page(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    if not text.strip():
        return
    memory = run(read_and_fit(Document.from_text(text), session()))
    pages = [page.number for page in memory.pages]
    support = run(find_support(memory, pages, QUESTION, WordMeanings(), most=6))
    assert all(one.text in memory.page_text(one.page) for one in support)
    quotes = run(select_quotes(support, QUESTION, WordMeanings(), most=6))
    for quote in quotes:
        assert quote.text in memory.page_text(quote.page)
        assert quote.text == quote.text.strip()


def test_a_quote_over_several_paragraphs_keeps_their_white_space() -> None:
    memory = run(read_and_fit(Document.from_text(DIALOGUE), session()))
    answer = run(ask(memory, Question("Where is the steamer, asked Desmond?"), session())).text
    assert '"Where is it?" asked Desmond.\n\n"In the kitchen," said Ines.\n"With the urn."' in answer
    assert "* * *" not in answer
