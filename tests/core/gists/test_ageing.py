"""Ageing: recent pages keep their gists; older ones get shorter gists from the raw page, never below the floor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.gists.rewrite import age, limits, shorten_older
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from sessions import make_session, prose

pytestmark = pytest.mark.anyio

PLAN = Plan(page_words=300, min_page_words=100, recent=2, floor_words=12)


def asked(session: Session, step: str = "gist") -> list[str]:
    return [one.prompt for one in session.model.asks if one.step == step]  # type: ignore[attr-defined]


async def test_older_gists_are_made_from_their_raw_pages() -> None:
    whole, session = await read(prose(240), make_session(plan=PLAN)), make_session(plan=PLAN)
    view = await shorten_older(whole, session)
    count = len(whole.pages)
    assert view.pages == whole.pages
    assert view.finer is whole
    assert view.gists[-2:] == whole.gists[-2:]
    words = [one.words for one in view.gists]
    assert words[0] < words[-4] < words[-1]
    assert min(words) >= PLAN.floor_words
    shortened = [n for n in range(count) if view.gists[n] != whole.gists[n]]
    for number, prompt in zip(shortened, asked(session), strict=True):
        assert whole.page_text(number).strip() in prompt
        assert f"at most {limits(whole, PLAN)[number]} words" in prompt


async def test_questions_see_shortened_gists_and_can_open_any_page() -> None:
    whole, session = await read(prose(240), make_session(plan=PLAN)), make_session(plan=PLAN)
    answer = await ask(whole, Question("Why?"), session)
    (prompt,) = asked(session, "respond")
    view = await shorten_older(whole, make_session(plan=PLAN))
    assert answer.pages == (1, 0)
    assert view.render({0, 1}) in prompt
    assert whole.page_text(0).strip() in prompt


@given(st.integers(1, 400), st.integers(1, 12))
def test_ageing_is_monotone_and_keeps_the_newest(count: int, recent: int) -> None:
    ages = [age(number, count, recent) for number in range(count)]
    assert ages == sorted(ages, reverse=True)
    assert ages[-recent:] == [0] * min(recent, count)
    assert all(later >= now for now, later in zip(ages, (age(n, count + 1, recent) for n in range(count)), strict=True))
