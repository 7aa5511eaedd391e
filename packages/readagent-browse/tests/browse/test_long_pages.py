"""Very long pages: their parts are grouped into sections, the needed element is reached, and few calls are made."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache

import pytest

from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel
from readagent_browse.descent import go_down
from readagent_browse.dom import Snapshot
from readagent_browse.memory import remember
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, Goal, Step, next_step
from web_pages import book_page, shop_page, shopper

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


def records(ask: Ask, kind: str) -> list[dict[str, str]]:
    """Return the sections or the parts that a prompt shows."""
    return [json.loads(line) for line in ask.prompt.splitlines() if line.startswith(f'{{"{kind}"')]


def reader_of(chapter: int) -> Callable[[Ask], str]:
    """Return a model that goes to the errata of a chapter by the headings that it sees."""

    def reply(ask: Ask) -> str:
        if ask.step == "look_up":
            kind, name = ("section", "Sections") if "Sections: " in ask.prompt else ("index", "Parts")
            wanted = [one for one in records(ask, kind) if re.search(rf"Chapter {chapter}\b", one["content"])]
            wanted = [one for one in wanted if "errata" in one["content"] or kind == "section"]
            return f"{name}: {', '.join(str(one[kind]) for one in wanted) or 'none'}"
        page = ask.prompt.partition("<page>")[2]
        found = re.search(rf"<a id=(\w+) href=/errata/{chapter}>", page)
        return f"Element: {found[1]}" if found else "I do not see it."

    return reply


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
    assert not session.trace.fallbacks


async def test_an_element_whose_name_stands_everywhere_is_reached_by_the_headings() -> None:
    chapter = 0
    page = long(book_page)
    step, session = await reached(page, Goal(f"Show the corrections of chapter {chapter}"), reader_of(chapter))
    assert step.full_words > LONG
    assert step.element is not None
    assert step.element.attributes["href"] == f"/errata/{chapter}"
    assert len(asks(session)) <= 6
    assert not session.trace.fallbacks


async def test_no_id_is_lost() -> None:
    page = long(shop_page)
    memory = await remember(page, new_session(lambda ask: "none"))
    leaves = [leaf for record in memory.records for leaf in record.leaves()]
    assert [leaf.index for leaf in leaves] == list(range(len(memory.snippets)))
    assert {name for leaf in leaves for name in leaf.ids} == {element.id for element in page.elements}
    assert memory.elements() == tuple(page.element(name) for record in memory.records for name in record.ids)


async def test_a_useless_reply_leads_to_the_section_that_shares_words_with_the_instruction() -> None:
    session = new_session(lambda ask: "?")
    memory = await go_down(await remember(long(shop_page), session), Goal("Buy the kettle of the miller"), session)
    assert any("kettle" in one.content for one in memory.shown)
    assert [one.step for one in session.trace.fallbacks] == ["parts"]


async def test_the_calls_for_gists_are_bounded_for_every_window() -> None:
    session = new_session(lambda ask: "A list of lamps.", 2000)
    memory = await remember(long(shop_page), session)
    assert len(asks(session)) <= 80
    assert memory.full_words > LONG
    if session.window.prompt is not None:
        assert session.window.fits(memory.prompt())
