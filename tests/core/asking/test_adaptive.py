"""Adaptive look-up: few pages first, and more if something is missing or cannot be verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from readagent.core.asking.reply_parts import MISSING, split_missing

from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Hint, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.errors import NoAnswerError
from sessions import SMALL, make_session, prose, read_and_fit, run, supported

WHO = Question("Who opened the gate?")
PICK = Question.choice("Who opened the gate?", ["Jakob", "Mira and Selma", "Nobody"])
CLAIM = Question.claim("Jakob opened the gate.")
TRUE_QUOTE = '"W0 w1 w2 w3 w4"'
Line = str | Reply | Exception


class Echo:
    """A hinter that points to one page for each question, and stores the questions."""

    def __init__(self) -> None:
        self.questions: list[str] = []

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        self.questions.append(question.text)
        return [Hint(len(self.questions) % len(memory.pages), 1.0)]


def make_memory(paragraphs: int, plan: Plan = SMALL) -> GistMemory:
    return run(read_and_fit(prose(paragraphs), make_session(plan=plan)))


SHORT, LONG = make_memory(30), make_memory(400, Plan())


def asked(
    question: Question, replies: list[Line], *, hinter: Echo | None = None, **plan: object
) -> tuple[Answer, list[Ask]]:
    given = {"max_pages": 6, **plan}
    left = list(replies)

    def reply(one: Ask) -> Line:
        return supported(one) if one.step == "check" else left.pop(0)

    session = replace(make_session(reply, Plan(look_up="auto", hints=hinter is not None, **given)), hinter=hinter)  # type: ignore[arg-type]
    answer = run(ask(LONG, question, session))
    assert not left
    return answer, [one for one in session.model.asks if one.step != "check"]  # type: ignore[attr-defined]


def test_a_short_text_is_shown_whole_and_nothing_is_looked_up() -> None:
    memory = make_memory(6)
    session = make_session(["The children."], Plan(look_up="auto", max_pages=6))
    answer = run(ask(memory, WHO, session))
    assert [one.step for one in session.model.asks] == ["respond"]  # type: ignore[attr-defined]
    assert all(memory.page_text(page.number).strip() in session.model.asks[0].prompt for page in memory.pages)  # type: ignore[attr-defined]
    assert answer.pages == tuple(page.number for page in memory.pages)
    assert answer.compression == pytest.approx(0)


def test_a_text_that_does_not_fit_the_window_is_looked_up() -> None:
    session = make_session(
        ["[]", f"Yes.\nPage 0: {TRUE_QUOTE}"], Plan(look_up="auto", max_pages=99, check=False), window=16_384
    )
    run(ask(LONG, WHO, session))
    assert [one.step for one in session.model.asks] == ["look_up", "respond"]  # type: ignore[attr-defined]


def test_a_verified_answer_from_the_gists_is_enough() -> None:
    answer, asks = asked(WHO, ["[]", f"The children.\nPage 0: {TRUE_QUOTE}"])
    assert (answer.text, answer.pages, answer.verified) == ("The children.", (), True)
    assert len(asks) == 2


def test_the_model_looks_up_what_is_missing_with_its_own_question() -> None:
    echo = Echo()
    replies: list[Line] = [
        "Page [2]",
        "MISSING: Which key did Selma carry?",
        "Page 7",
        f"It was w2.\nPage 0: {TRUE_QUOTE}",
    ]
    answer, asks = asked(WHO, replies, hinter=echo)
    assert (answer.text, answer.pages) == ("It was w2.", (2, 7))
    step = asks[2]
    assert "<question>\nWhich key did Selma carry?\n</question>" in step.prompt
    assert WHO.text not in step.prompt
    assert step.material.question == Question("Which key did Selma carry?")
    assert step.material.opened == (2,)
    assert echo.questions == [WHO.text, "Which key did Selma carry?"]
    assert "first: Page 2." not in step.prompt  # open already
    assert WHO.text in asks[3].prompt
    assert not answer.trace.fallbacks


def test_not_in_the_text_is_accepted_after_one_more_page() -> None:
    replies: list[Line] = [
        "[]",
        "NOT IN THE TEXT",
        "Who had the keys that night?",
        "Page 3",
        "NOT IN THE TEXT",
        "Who kept the keys?",
        "STOP",
    ]
    answer, asks = asked(WHO, replies)
    assert (answer.found_in_text, answer.pages) == (False, (3,))
    assert "Who had the keys that night?" in asks[3].prompt
    assert "Who kept the keys?" in asks[6].prompt


def test_steps_and_words_are_capped() -> None:
    def never_content(one: Ask) -> str:
        if one.step == "look_up":
            assert one.choice is not None
            return f"Page {one.choice.values[0]}"
        return "MISSING: Who was it really?" if MISSING in one.prompt else "Nobody knows."

    memory = LONG
    for most in (1, 2, 3, 99):
        session = make_session(never_content, Plan(look_up="auto", max_pages=most))
        answer = run(ask(memory, WHO, session))
        assert answer.text == "Nobody knows."
        assert len(answer.pages) <= min(most, (most + 1) // 2 + 3)
        assert answer.trace.words_read <= 2.5 * memory.full_words
    assert answer.trace.words_read < 99 * memory.full_words


def test_a_later_failure_leaves_the_earlier_answer() -> None:
    answer, _ = asked(WHO, ["[]", "It was so.", "Page 1", "", ""])
    assert answer.text == "It was so."
    assert [fallback.taken for fallback in answer.trace.fallbacks] == ["the answer before"]
    with pytest.raises(NoAnswerError):
        asked(WHO, ["[]", "", ""])


PIECES = st.sampled_from(
    ["MISSING", "MISSING: who?", "MISSING: Where did Ann put the key?", "NOT IN THE TEXT", "Page [2, 3]", "Page 1", "STOP",
     "Answer: (B)", "Answer: true", "It was so.", f"It was.\nPage 0: {TRUE_QUOTE}", 'No.\nPage 2: "never said at all"',
     "", "I'm sorry, but I can't help with that.", "<think>hm", "[]", "99", "{", '{"answer": "MISSING"}', "```\nPage 4\n```"]
) | st.text(max_size=40)  # fmt: skip


@settings(max_examples=150)
@example(["MISSING", f"It was.\nPage 0: {TRUE_QUOTE}"], WHO, 1, 1024, False)  # two parts of a tree are looked into
@given(st.lists(PIECES, min_size=1, max_size=12), st.sampled_from([WHO, PICK, CLAIM]), st.integers(0, 5),
       st.sampled_from([None, 1024]), st.booleans())  # fmt: skip
@pytest.mark.slow
def test_any_reply_can_be_handled(
    replies: list[str], question: Question, most: int, window: int | None, quotes: bool
) -> None:
    memory = SHORT
    turn = iter(replies * 50)
    plan = Plan(look_up="auto", max_pages=most, quotes=quotes, hints=True)
    session = replace(make_session(lambda one: next(turn), plan, window), hinter=Echo())
    try:
        answer = run(ask(memory, question, session))
    except NoAnswerError:
        assert question.kind == "free"
        return
    assert answer.text
    assert len(set(answer.pages)) == len(answer.pages)
    assert len(answer.pages) <= max(most, 0) or len(answer.pages) == len(memory.pages)
    assert question.kind != "free" or split_missing(answer.text)[0]
    assert all(memory.document.text[quote.start : quote.end] == quote.text for quote in answer.quotes)
    if question.kind == "choice":
        assert answer.choice in question.letters
    if question.kind == "claim":
        assert answer.choice in ("true", "false")
    assert all(session.window.fits(one.prompt) for one in session.model.asks)  # type: ignore[attr-defined]
