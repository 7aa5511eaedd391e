"""What another program is given without an answer: the context of its next turn, and the pages that matter to a question."""

from __future__ import annotations

from readagent.core.asking.context import context
from readagent.core.asking.prepare import choose_passages
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.pages.growing import extend
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import read
from readagent.core.words import count_words
from sessions import SMALL, make_session, prose, read_and_fit, run

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


def test_the_newest_pages_are_in_full_and_older_ones_as_gists() -> None:
    known = run(read(prose(80), make_session()))
    live = extend(known, known.document.appended("Ann: the newest turn.\n\nBo: the very last one."))
    shown = context(live, 700, count_words)
    assert shown.endswith("Bo: the very last one.")
    assert shown.startswith("<Page 0>\n")
    assert [f"<Page {page.number}>" in shown for page in live.pages] == [True] * len(live.pages)
    assert live.page_text(3).strip() not in shown
    assert live.page_text(len(live.pages) - 2).strip() in shown


def test_only_the_end_of_a_long_page_is_shown() -> None:
    turns = Document.from_text("\n\n".join(f"Ann: turn {n} " + "word " * 20 for n in range(9)))
    memory = extend(GistMemory(Document("", ()), (), (), SMALL), turns)
    shown = context(memory, 60, count_words)
    assert shown.startswith("<Page 0>\n… Ann: turn 7 ")
    assert context(memory, 8, count_words).endswith("word word")
    one_word = extend(GistMemory(Document("", ()), (), (), SMALL), Document.from_text("這是一個沒有空格的句子" * 9))
    assert 0 < count_words(context(one_word, 20, count_words)) <= 20
