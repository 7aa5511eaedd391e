"""Choosing documents from their cards."""

from __future__ import annotations

import pytest

from readagent.core.shelf.cards import MOST_SHOWN, choose
from sessions import make_session, run
from shelf_members import WHO, card


def test_documents_are_chosen_from_numbered_cards_in_the_order_of_the_reply() -> None:
    cards = [card(number) for number in range(9)]
    session = make_session(["Documents: 7, 2"])
    assert run(choose(cards, WHO, session, most=3)) == [cards[7], cards[2]]
    prompt = session.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "<Document 7>\nLetter 7 (letter)\nA letter about matter 7" in prompt
    assert prompt.index("<Document 8>") < prompt.index(WHO.text)


def test_few_documents_are_all_read_without_a_call() -> None:
    cards = [card(number) for number in range(3)]
    session = make_session([])
    assert run(choose(cards, WHO, session, most=3, nearest=[2])) == [cards[2], cards[0], cards[1]]
    assert session.trace.calls == []


@pytest.mark.parametrize("window", [None, 32768, 2048, 1024])
def test_of_many_cards_the_nearest_that_fit_are_shown(window: int | None) -> None:
    cards = [card(number) for number in range(3000)]
    nearest = [2999, *range(500, 900)]
    session = make_session(["Documents: 0, 1"], window=window)
    assert run(choose(cards, WHO, session, most=2, nearest=nearest)) == [cards[2999], cards[500]]
    prompt = session.model.asks[0].prompt  # type: ignore[attr-defined]
    assert session.window.fits(prompt)
    assert "of 3,000, those that a search finds nearest" in prompt
    shown = prompt.count("<Document ")
    assert 2 < shown <= MOST_SHOWN
    assert shown == MOST_SHOWN or window in (2048, 1024)


def test_if_no_cards_fit_the_search_decides_and_a_fallback_is_recorded() -> None:
    cards = [card(number, title=" ".join(["long"] * 60)) for number in range(9)]
    session = make_session([], window=512)
    assert run(choose(cards, WHO, session, most=2, nearest=[5, 3])) == [cards[5], cards[3]]
    assert [one.step for one in session.trace.fallbacks] == ["choose"]
