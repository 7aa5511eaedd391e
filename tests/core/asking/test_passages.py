"""Pages that matter to a question, chosen without answering it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.core.asking.prepare import choose_passages
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.plan import LookUp, Plan
from readagent.core.question import Question
from sessions import SMALL, make_session, prose, read_and_fit, run, sensible

STORY = prose(30)
ABOUT_LAST = Question("Where is w449?")


def memory() -> GistMemory:
    return run(read_and_fit(STORY, make_session()))


@pytest.mark.parametrize("look_up", ["parallel", "direct", "none"])
def test_one_call_chooses_the_pages_and_no_answer_is_asked_for(look_up: LookUp) -> None:
    session = make_session(plan=replace(SMALL, look_up=look_up))
    found = run(choose_passages(memory(), ABOUT_LAST, session))
    assert [call.step for call in session.trace.calls] == ["look_up"]
    assert [one.page for one in found] == [1, 0]  # in the order of the model's choice
    for one in found:
        assert one.text == STORY.text[one.start : one.end] == memory().page_text(one.page).strip()


def test_the_page_with_the_words_of_the_question_stands_for_none() -> None:
    session = make_session(lambda ask: "I need no page: []")
    (found,) = run(choose_passages(memory(), ABOUT_LAST, session))
    assert "w449" in found.text


def test_nothing_after_the_position_is_found() -> None:
    middle = len(STORY.text) // 2

    def last_page(ask: Ask) -> str:
        return f"[{ask.choice.values[-1]}]" if ask.step == "look_up" and ask.choice else sensible(ask)

    found = run(choose_passages(memory(), ABOUT_LAST, make_session(last_page), up_to=middle))
    assert found
    assert all(one.end <= middle for one in found)


def test_an_index_gives_pages_of_the_text() -> None:
    long, plan = prose(600), Plan(page_words=100, min_page_words=50, max_pages=2)
    index = run(read_and_fit(long, make_session(plan=plan, window=3000)))
    assert index.finer is not None
    at = long.text.index("w4501 ")

    def towards_it(ask: Ask) -> str:
        assert ask.material.memory is not None
        assert ask.choice is not None
        return f"{ask.choice.label}: {ask.material.memory.page_at(at)}"

    session = make_session(towards_it, plan, window=3000)
    (found,) = run(choose_passages(index, Question("Where is w4501?"), session))
    assert [call.step for call in session.trace.calls] == ["look_up"]
    assert "w4501 " in found.text
    assert found.text == index.whole.page_text(found.page).strip()
