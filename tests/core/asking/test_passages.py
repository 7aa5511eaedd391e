"""Pages that matter to a question, chosen without answering it."""

from __future__ import annotations

from readagent.core.asking.prepare import choose_passages
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Question
from sessions import make_session, prose, read_and_fit, run

STORY = prose(30)
ABOUT_LAST = Question("Where is w449?")


def memory() -> GistMemory:
    return run(read_and_fit(STORY, make_session()))


def test_the_page_with_the_words_of_the_question_stands_for_none() -> None:
    session = make_session(lambda ask: "I need no page: []")
    (found,) = run(choose_passages(memory(), ABOUT_LAST, session))
    assert "w449" in found.text


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
