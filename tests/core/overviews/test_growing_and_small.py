"""Overviews of texts that grow, in small windows, and of the whole text: what they cost and what they still find."""

from __future__ import annotations

import pytest

from planted import perfect, story
from readagent import Answer, AsyncReadAgent, Turn
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from sessions import run

PLAN = Plan(page_words=200, min_page_words=80)


DOCUMENT, _, EVENTS = story(3000, 20)


def whole(ask: Ask) -> str:
    """Reply that every question is about the whole text, wherever that may be said."""
    return "WHOLE TEXT" if "WHOLE TEXT" in ask.prompt else perfect(ask)


def asked_about_all(**options: object) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel(whole)

    async def told() -> Answer:
        agent = AsyncReadAgent(model, window=4096, plan=Plan(page_words=200, min_page_words=80, max_pages=2))
        return await agent.ask(await agent.read(DOCUMENT), "Summarise this story.", **options)  # type: ignore[arg-type]

    return run(told()), model


@pytest.mark.parametrize("look_up", ["direct", "parallel"])
def test_the_answer_is_from_all_pages_and_says_so(look_up: str) -> None:
    answer, _ = asked_about_all(look_up=look_up)
    assert answer.over_all
    assert answer.searched is not None
    assert answer.searched.pages == answer.searched.of_pages > 2
    assert answer.statements
    assert answer.quotes
    assert all(quote.text == DOCUMENT.text[quote.start : quote.end] for quote in answer.quotes)


def test_it_ends_where_the_reader_is() -> None:
    answer, model = asked_about_all(up_to="50%")
    assert answer.over_all
    prompts = [ask.prompt for ask in model.asks if ask.step in ("direct", "note", "write", "check")]
    assert prompts
    assert not any(EVENTS[-1] in prompt for prompt in prompts)


def test_who_asks_in_a_conversation_is_answered_from_pages() -> None:
    answer, _ = asked_about_all(history=[Turn("Who is Anna?", "She works at the mill.")])
    assert not answer.over_all
