"""Very long pages: the parts that share most with the instruction are shown, and few calls are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel
from readagent_browse.dom import Snapshot
from readagent_browse.memory import remember
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, Goal, Step, next_step
from web_pages import shop_page, shopper

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
LONG = 100_000  # words


@cache
def long(make: Callable[[int], str]) -> Snapshot:
    """Return a page of 100,000 words, parsed once."""
    return snapshot_of(make(LONG))


def new_session(script: Callable[[Ask], str], window: int | None = 8000) -> Session:
    return Session(ScriptedModel(script), Prompts.load(), WEB, Window(window))


def asks(session: Session) -> list[Ask]:
    assert isinstance(session.model, ScriptedModel)
    return session.model.asks


async def reached(page: Snapshot, goal: Goal, script: Callable[[Ask], str], window: int = 8000) -> tuple[Step, Session]:
    session = new_session(script, window)
    step = await next_step(page, goal, session)
    assert max(estimate_tokens(ask.prompt) for ask in asks(session)) < window
    return step, session


async def test_the_needed_element_in_100000_words_is_reached_with_few_calls() -> None:
    step, session = await reached(long(shop_page), Goal("Buy the cobalt kettle"), shopper, 4000)
    assert step.full_words > LONG
    assert step.element is not None
    assert step.element.label == "Buy this kettle"
    assert len(asks(session)) <= 6
    assert step.compression > 0.95
    (cut,) = session.trace.fallbacks
    assert cut.reason == "the page is too long for the window"
    assert "parts that share most with the instruction" in cut.taken


async def test_no_id_is_lost_where_everything_fits() -> None:
    page = long(shop_page)
    memory = await remember(page, new_session(lambda ask: "none", None), Goal("Buy the cobalt kettle"))
    assert [one.index for one in memory.records] == list(range(len(memory.snippets)))
    assert {name for one in memory.records for name in one.ids} == {element.id for element in page.elements}
    assert memory.elements() == page.elements


async def test_the_calls_for_gists_are_bounded_for_every_window() -> None:
    session = new_session(lambda ask: "A list of lamps.", 2000)
    memory = await remember(long(shop_page), session, Goal("Buy the cobalt kettle"))
    assert len(asks(session)) <= 80
    assert memory.full_words > LONG
    if session.window.prompt is not None:
        assert session.window.fits(memory.prompt())
