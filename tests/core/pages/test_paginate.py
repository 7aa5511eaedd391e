"""Pages: where they may end, what the model is shown, and useless replies."""

from __future__ import annotations

import re

import pytest

from readagent.core.document import Document
from readagent.core.memory import Page
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.reading import read
from readagent.core.session import Session
from sessions import SMALL, make_session, pausing, prose, run, sensible


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


@pytest.mark.parametrize("bad", ["<0>", "Label 99"])
def test_two_useless_replies_fall_back_to_the_last_label(bad: str) -> None:
    session = make_session(lambda ask: bad if ask.step == "paginate" else sensible(ask))
    made = pages(prose(12), session)
    assert [page.words for page in made] == [60, 60, 60]
    assert {fallback.step for fallback in session.trace.fallbacks} == {"paginate"}
    assert session.trace.fallbacks[0].reason


def test_one_reminder_is_enough_to_recover() -> None:
    session = make_session(pausing("Hmm.", "Break point: <1>", "<2>"))
    assert [page.words for page in pages(prose(6), session)][:1] == [30]
    assert not session.trace.fallbacks


def test_the_previous_page_is_shown_only_when_planned() -> None:
    plan = Plan(page_words=60, min_page_words=20, show_previous=True)
    shown, hidden = make_session(plan=plan), make_session()
    first = pages(prose(12), shown)[0]
    pages(prose(12), hidden)
    text = prose(12).text[first.start : first.end].strip()
    assert text in shown.model.asks[1].prompt  # type: ignore[attr-defined]
    assert text not in hidden.model.asks[1].prompt  # type: ignore[attr-defined]


def test_uniform_pages_are_equal_and_need_no_call() -> None:
    made = pages(prose(100), make_session(pausing(), Plan(page_words=60, min_page_words=20, pauses="uniform")))
    sizes = [page.words for page in made]
    assert len(made) == 25
    assert max(sizes) - min(sizes) <= 12


def test_the_words_read_for_pagination_stay_within_the_bound() -> None:
    session = make_session(sensible, SMALL)
    document = prose(200)
    pages(document, session)
    shown = sum(len(re.findall(r"\bW?w?\d+\b", "".join(ask.material.passages))) for ask in session.model.asks)  # type: ignore[attr-defined]
    assert shown <= document.words * SMALL.page_words / SMALL.min_page_words
