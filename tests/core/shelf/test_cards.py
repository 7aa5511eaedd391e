"""Cards: made from gists, within the window, and with a fallback."""

from __future__ import annotations

from dataclasses import replace

from readagent.core.plan import Plan
from readagent.core.shelf.cards import CARD_WORDS, card_of
from readagent.core.shelf.shelf_answer import Card
from sessions import make_session, prose, read_and_fit, run
from shelf_members import MILL, member


def test_a_card_is_made_from_the_gists() -> None:
    memory = run(read_and_fit(prose(40), make_session()))
    session = make_session(["Gist: A list of numbered words, from w0 to w60, line by line."])
    made = run(card_of(replace(memory, document=replace(memory.document, title="Words")), session))
    assert replace(made, gists="") == Card(
        memory.document.id, "Words", "", "A list of numbered words, from w0 to w60, line by line.", 12
    )
    assert all(gist.text in session.model.asks[0].prompt for gist in memory.gists)  # type: ignore[attr-defined]


def test_short_gists_are_the_card_without_a_call() -> None:
    session = make_session([])
    assert run(card_of(MILL.memory, session)).text == "The mill 0 The mill 1"
    assert session.trace.calls == []


def test_a_card_of_a_long_memory_is_made_within_a_small_window() -> None:
    memory = run(read_and_fit(prose(400), make_session(plan=Plan(page_words=60, min_page_words=20))))
    session = make_session(window=1024)
    made = run(card_of(memory, session))
    assert 0 < made.words <= 1.5 * CARD_WORDS
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]


def test_a_card_has_title_and_kind_if_known() -> None:
    code = member("", "x = 1", code="python")
    assert run(card_of(code.memory, make_session([]))).heading == f"{code.card.document} (python code)"
    assert run(card_of(MILL.memory, make_session([]))).kind == ""
    assert run(card_of(MILL.memory, make_session([]), kind="contract")).heading == "The mill (contract)"
    path = replace(MILL.memory, document=replace(MILL.memory.document, title="", source="/deeds/mill.txt"))
    assert run(card_of(path, make_session([]))).title == "mill.txt"
