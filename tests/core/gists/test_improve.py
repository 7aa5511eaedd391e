"""Gists made anew: older ones get shorter gists from the raw page, never below the floor, and chosen ones are improved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from readagent.core.gists.rewrite import age, improve, limits, shorten_older
from readagent.core.memory import Gist, GistMemory, Page, by_span
from readagent.core.model import Reply
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.words import count_words
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, make_session, prose, run

DOCUMENT = prose(12)
BETTER = "Gist: W60 to w100 are told in order, and nothing happens."


def whole() -> GistMemory:
    return run(read(DOCUMENT, make_session()))


def test_the_rendered_prompt_to_improve_a_gist(snapshot: SnapshotAssertion) -> None:
    """A snapshot, as for the other prompts."""
    memory = whole()
    session = Session(ScriptedModel([BETTER]), Prompts.load(), Plan(task="Find w7."))
    run(improve(memory, [1], session, "keep the numbers"))
    assert session.model.asks[0].prompt == snapshot  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("I'm sorry, but I can't help with that.", "not about the passage"),
        (whole().gists[1].text, "same gist again"),
    ],
)
def test_a_useless_reply_leaves_the_gist_unchanged(reply: str | Reply, reason: str) -> None:
    session = make_session([reply, reply])
    assert run(improve(whole(), [1], session)) == {}
    (fallback,) = session.trace.fallbacks
    assert (fallback.step, fallback.taken, fallback.page) == ("gist", "the gist as it was", 1)
    assert reason in fallback.reason


def test_no_prompt_exceeds_a_small_window_for_long_gists_and_pages() -> None:
    text = (EXAMPLES / "story.txt").read_text("utf-8")
    document = prose(1).from_text(text)
    long = Gist(" ".join(text.split()[:900]), 900, "user")
    memory = GistMemory(document, (Page(0, 0, len(text), count_words(text)),), (long,), Plan())
    session = make_session(window=700)
    made = run(improve(memory, [0], session, "keep the names"))
    assert made[0].words < count_words(text)
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="note is too long"):
        run(improve(memory, [0], make_session(window=700), "much " * 600))


@pytest.mark.parametrize("pauses", ["model", "uniform"])
def test_a_reading_keeps_pinned_pages_with_any_plan(pauses: str) -> None:
    memory = whole()
    own = {number: Gist(f"Mine {number}.", 2, "user") for number in (0, 2)}
    pinned = by_span(memory, own)
    plan = Plan(page_words=40, min_page_words=10, pauses=pauses)  # type: ignore[arg-type]
    again = run(read(DOCUMENT, make_session(plan=plan), pinned))
    shown = dict(zip(((page.start, page.end) for page in again.pages), again.gists, strict=True))
    assert {span: shown[span] for span in pinned} == pinned
    assert "".join(map(again.page_text, range(len(again.pages)))) == DOCUMENT.text
    assert all(page.words <= 44 for page, made in zip(again.pages, again.gists, strict=True) if made.origin != "user")


PLAN = Plan(page_words=300, min_page_words=100, recent=2, floor_words=12)


def asked(session: Session, step: str = "gist") -> list[str]:
    return [one.prompt for one in session.model.asks if one.step == step]  # type: ignore[attr-defined]


@pytest.mark.anyio
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


@pytest.mark.anyio
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
