"""One answer from several documents, with citations of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from readagent.core.gists.parts import fit
from readagent.core.model import Ask
from readagent.core.question import Question
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.compare import compare_all
from readagent.core.shelf.shelf_answer import PageOf
from readagent.retrieval.hints import WordHinter
from sessions import make_session, run, sensible, supported
from shelf_members import FARM, MILL, WHO, long_members


def answering(*replies: str) -> Callable[[Ask], str]:
    """Return a model that gives these replies, one after another, and finds every statement supported."""
    queue = list(replies)
    return lambda ask: supported(ask) if ask.step == "check" else queue.pop(0)


def test_citations_have_the_page_numbers_of_their_documents() -> None:
    said = 'Anna pays for the mill; Bert pays nobody.\nPage 1: "Anna pays the rent"\nPage 3: "pays nobody."'
    session = make_session(answering("Pages: 1, 3", said))
    answer = run(ask_several([MILL, FARM], WHO, session))
    mill, farm = MILL.card.document, FARM.card.document
    assert answer.pages == (PageOf(mill, "The mill", 1), PageOf(farm, "The farm", 1))
    assert [(cited.document, cited.quote.page, cited.quote.text) for cited in answer.quotes] == [
        (mill, 1, "Anna pays the rent of the mill in May.")
    ]
    assert answer.false_quotes == 0  # two words show nothing, but they are in the text
    quote = answer.quotes[0].quote
    assert MILL.memory.document.text[quote.start : quote.end] == quote.text


def test_a_quote_across_two_documents_is_false() -> None:
    said = 'Both.\nPage 1: "Anna pays the rent of the mill in May. The farm lies on the hill."'
    session = make_session(answering("Pages: 1, 2", said))
    answer = run(ask_several([MILL, FARM], WHO, session))
    assert answer.quotes == ()
    assert answer.false_quotes == 1
    assert not answer.verified


@pytest.mark.parametrize("window", [2048, 1024])
def test_several_long_documents_are_asked_within_a_small_window(window: int) -> None:
    members = long_members(4)
    session = replace(make_session(window=window), hinter=WordHinter())
    answer = run(ask_several(members, Question("What follows w300?"), session))
    assert answer.text == "Because."
    assert (*answer.documents, *answer.left_out) == tuple(one.card for one in members)
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    steps = [ask.step for ask in session.model.asks]  # type: ignore[attr-defined]
    entries = steps.count("merge")  # the documents come without an index
    assert steps == ["merge"] * entries + ["look_up", "respond"]


@pytest.mark.parametrize("asking", [ask_several, compare_all])
def test_citations_refer_to_pages_before_merging(asking: Callable[..., Any]) -> None:
    def quoting(ask: Ask) -> str:
        return 'It is w301.\nPage 0: "w301 w302 w303"' if ask.step == "respond" else sensible(ask)

    (one,) = long_members(1)
    session = make_session(quoting, window=1536)
    fitted = run(fit(one.memory, session))
    assert len(fitted.pages) < len(one.memory.pages)
    answer = run(asking([replace(one, memory=fitted)], Question("What follows w300?"), session))
    assert answer.pages
    assert answer.quotes
    for cited in answer.quotes:
        page = one.memory.pages[cited.quote.page]
        assert page.start <= cited.quote.start < page.end
    assert all(page.page < len(one.memory.pages) for page in answer.pages)
