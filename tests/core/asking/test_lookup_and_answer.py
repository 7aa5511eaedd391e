"""Look-up and response: which pages are opened, how they are shown, and what is answered."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import PRESETS, Plan
from readagent.core.question import Answer, Question, Turn
from readagent.core.reading import ask
from readagent.errors import UsageError
from sessions import EXAMPLES, make_session, prose, read_and_fit, run, sensible

WHO = Question("Who opened the gate?")
STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


def make_memory() -> GistMemory:
    return run(read_and_fit(prose(16), make_session()))


def asked(question: Question, replies: list[str | Reply | Exception], **plan: object) -> tuple[Answer, list[Ask]]:
    session = make_session(replies, Plan(**plan))  # type: ignore[arg-type]
    answer = run(ask(make_memory(), question, session))
    return answer, session.model.asks  # type: ignore[attr-defined]


def test_opened_pages_replace_their_gists_in_place() -> None:
    answer, asks = asked(WHO, ["Pages: 2, 1", "The children."])
    memory = make_memory()
    prompt = asks[-1].prompt
    assert answer.pages == (2, 1)
    tags = [prompt.index(f"<Page {page.number}>\n") for page in memory.pages]
    assert tags == sorted(tags)
    assert f"<Page 2>\n{memory.page_text(2).strip()}" in prompt
    assert f"<Page 0>\n{memory.gists[0].text}" in prompt
    assert memory.gists[2].text not in prompt.replace(memory.page_text(2).strip(), "")


def test_sequential_look_up_sees_what_is_open_and_cannot_repeat_it() -> None:
    answer, asks = asked(WHO, ["Page 3", "Page 3", "**page 1**", "STOP", "The children."], look_up="sequential")
    assert answer.pages == (3, 1)
    assert "Page 3" in asks[1].prompt.split("not to be asked for again")[1]
    assert make_memory().page_text(3).strip() in asks[1].prompt
    assert asks[1].choice is not None
    assert "3" not in asks[1].choice.values
    assert not answer.trace.fallbacks


def test_multiple_choice_without_a_usable_reply_takes_the_best_supported_option() -> None:
    question = Question.choice("Which?", ["nothing at all", "w10 w11 w12", "other things"])
    answer, _ = asked(question, ["Pages: 0", "Hm.", "Hm.", "1: yes"])
    assert answer.choice == "B"
    assert [fallback.step for fallback in answer.trace.fallbacks] == ["respond"]


def test_a_truncated_answer_is_kept_and_recorded() -> None:
    answer, _ = asked(WHO, ["[]", Reply("Answer: The children, when", finish="length")])
    assert answer.text == "The children, when"
    assert "token limit" in answer.trace.fallbacks[0].reason


def test_the_latest_turns_that_fit_are_shown() -> None:
    session = make_session(["[]", "Yes."])
    history = [Turn(f"question {i} " + "so " * 150, f"answer {i}") for i in range(20)]
    run(ask(make_memory(), WHO, session, history))
    prompt = session.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "answer 19" in prompt
    assert "answer 0\n" not in prompt


def test_pages_that_do_not_fit_are_left_out_in_order_of_importance() -> None:
    session = make_session(sensible, PRESETS["articles"], window=3000)
    memory = run(read_and_fit(STORY, session))
    wants = make_session(["Pages: 4, 2, 0, 1, 3", "Yes."], PRESETS["articles"], window=3000)
    answer = run(ask(memory, WHO, wants))
    assert answer.pages[0] == 4
    assert answer.did_not_fit
    assert all(wants.window.fits(ask.prompt) for ask in wants.model.asks)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "make", [lambda: Question("  "), lambda: Question.choice("x", ["a"]), lambda: Question("x", ("a",))]
)
def test_impossible_questions_are_refused(make: object) -> None:
    with pytest.raises(UsageError):
        make()  # type: ignore[operator]


def test_a_question_too_long_for_the_window_is_refused() -> None:
    with pytest.raises(UsageError, match="too long"):
        run(ask(make_memory(), Question("why " * 900), make_session(window=2048)))
