"""Pages: where they may end, what the model is shown, and useless replies."""

from __future__ import annotations

import re

from readagent.core.document import Document
from readagent.core.memory import Page
from readagent.core.model import Ask
from readagent.core.reading import read
from readagent.core.session import Session
from sessions import make_session, pausing, prose, run


def pages(document: Document, session: Session) -> list[Page]:
    """Return the pages of a document as ``read`` finds them."""
    return list(run(read(document, session)).pages)


def first_ask(session: Session) -> Ask:
    return session.model.asks[0]  # type: ignore[attr-defined,no-any-return]


def test_labels_are_between_paragraphs_after_min_page_words() -> None:
    session = make_session()
    pages(prose(10), session)
    passage = re.search(r"<passage>\n(.*)\n</passage>", first_ask(session).prompt, re.S)
    assert passage is not None
    shape = [line if line.startswith("<") else "text" for line in passage[1].split("\n") if line]
    assert shape == ["text", "text", "<1>", "text", "<2>", "text", "<3>"]


def test_the_page_ends_at_the_label_named() -> None:
    made = pages(prose(10), make_session(pausing("Break point: <1>", "<2>", "Let me see...\n**Break point: <3>**")))
    assert [page.words for page in made] == [30, 45, 60, 15]


def test_a_long_paragraph_is_cut_at_a_sentence() -> None:
    text = " ".join(f"S{i} a b c d e f g h i." for i in range(30))
    made = pages(Document.from_text(text), make_session())
    assert all(20 <= page.words <= 60 for page in made[:-1])
    assert all(text[page.end - 2] == "." for page in made[:-1])


def test_a_short_rest_is_the_last_page_without_a_call() -> None:
    session = make_session(pausing("Break point: <3>"))
    assert [page.words for page in pages(prose(5), session)] == [60, 15]
