"""Several questions in one call: no question is lost, each has the pages shown for it, its quotes and its share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.batches import ask_together
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Hint, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.trace import Trace
from readagent.errors import ContentRefusedError, NoAnswerError, UsageError
from sessions import EXAMPLES, make_session, prose, read_and_fit, run

QUESTIONS = (
    Question("Who is Irma Valk?"),
    Question.choice("Who holds the flag?", ["Irma", "Selma", "nobody"]),
    Question.claim("Irma is a clerk."),
    Question("Why is the pier unsafe?"),
)
ANSWERS = "Q1: A verifier of weights.\nQ2: (B)\nQ3: false\nQ4: It stands over a culvert."
STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))
DIRECT = Plan(look_up="direct", quotes=False, check=False)
Replies = Callable[[Ask], str | Reply | Exception] | list[str | Reply | Exception]


@pytest.fixture(scope="module")
def memory() -> GistMemory:
    return run(read_and_fit(STORY, make_session(plan=Plan())))


def together(
    memory: GistMemory,
    replies: Replies,
    plan: Plan = DIRECT,
    window: int | None = None,
    questions: Sequence[Question] = QUESTIONS,
) -> tuple[list[Answer | NoAnswerError | UsageError], list[Ask]]:
    session = make_session(replies, plan, window)
    results = run(ask_together(memory, questions, session, [Trace() for _ in questions]))
    return results, session.model.asks  # type: ignore[attr-defined]


def texts(results: Sequence[object]) -> list[str]:
    return [one.text if isinstance(one, Answer) else type(one).__name__ for one in results]


EXPECTED = ["A verifier of weights.", "Selma", "false", "It stands over a culvert."]


def test_questions_for_which_pages_are_opened_first_are_asked_alone(memory: GistMemory) -> None:
    _, asks = together(memory, lambda ask: "Answer: (A) true", replace(DIRECT, open_first=2))
    assert [one.step for one in asks] == ["direct"] * len(QUESTIONS)


@pytest.mark.parametrize(
    "reply",
    [
        ANSWERS,
        ANSWERS.replace("Q", "**Q").replace(": ", ":** "),
        ANSWERS.replace("Q", ""),
        f"Here are the answers:\n\n{ANSWERS}",
        "\n".join(reversed(ANSWERS.split("\n"))),
        ANSWERS.replace("\n", " "),
        json.dumps({"Q1": EXPECTED[0], "Q2": "B", "Q3": False, "Q4": EXPECTED[3]}),
    ],
)
def test_answers_are_told_apart_in_many_forms(memory: GistMemory, reply: str) -> None:
    results, asks = together(memory, [reply])
    assert texts(results) == EXPECTED
    assert len(asks) == 1
    assert not any(one.trace.fallbacks for one in results if isinstance(one, Answer))


def test_questions_that_ask_for_pages_share_a_second_call_and_list_all_pages_shown_in_it(memory: GistMemory) -> None:
    first = "Q1: Page [2]\nQ2: (B)\nQ3: I want to look up Page [5, 2] to check.\nQ4: Page [7]"
    second = "Q1: A verifier of weights.\nQ2: false\nQ3: It stands over a culvert."
    results, asks = together(memory, [first, second])
    assert texts(results) == EXPECTED
    answers = [one for one in results if isinstance(one, Answer)]
    assert [one.pages for one in answers] == [(2, 5, 7), (), (5, 2, 7), (7, 2, 5)]  # its own come first
    assert [one.shared for one in answers] == [(5, 7), (), (7,), (2, 5)]
    assert asks[1].material.opened == (2, 5, 7)
    assert all(memory.page_text(page).strip() in asks[1].prompt for page in (2, 5, 7))
    assert "Who holds the flag" not in asks[1].prompt


@pytest.mark.parametrize("reply", ["", "I'm sorry, but I can't help with that.", ContentRefusedError("a filter")])
def test_questions_without_a_readable_reply_are_asked_alone(memory: GistMemory, reply: str | Reply | Exception) -> None:
    def answer(ask: Ask) -> str | Reply | Exception:
        if ask.step == "batch":
            return reply
        assert ask.material.question is not None
        return (
            f"Answer: {['A verifier of weights.', '(B)', 'false', EXPECTED[3]][QUESTIONS.index(ask.material.question)]}"
        )

    results, asks = together(memory, answer)
    assert texts(results) == EXPECTED
    assert [one.step for one in asks] == ["batch", *["direct"] * 4]
    for one in results:
        assert isinstance(one, Answer)
        assert [(fallback.step, fallback.taken) for fallback in one.trace.fallbacks] == [
            ("batch", "the question was asked alone")
        ]


def test_a_question_that_gets_no_answer_fails_alone(memory: GistMemory) -> None:
    def answer(ask: Ask) -> str:
        return ANSWERS.replace("Q4: It stands over a culvert.", "") if ask.step == "batch" else ""

    assert texts(together(memory, answer)[0]) == [*EXPECTED[:3], "NoAnswerError"]


def test_quotes_belong_to_the_answer_above_them(memory: GistMemory) -> None:
    sentences = [" ".join(memory.page_text(page).split(".")[1].split()) for page in (2, 5)]
    second = f'Q1: A verifier.\nPage 2: "{sentences[0]}"\nQ2: A culvert.\nPage 5: "{sentences[1]}"'
    plan = Plan(look_up="direct", check=False)
    asked = (QUESTIONS[0], QUESTIONS[3])
    results, asks = together(memory, ["Q1: Page [2]\nQ2: Page [5]", second], plan, questions=asked)
    assert texts(results) == ["A verifier.", "A culvert."]
    for result, sentence in zip(results, sentences, strict=True):
        assert isinstance(result, Answer)
        assert [" ".join(quote.text.split()) for quote in result.quotes] == [f"{sentence}."]
        assert not any(quote.by_us for quote in result.quotes)
    assert "word for word" in asks[1].prompt
    assert "word for word" not in asks[0].prompt


def test_a_small_window_takes_fewer_questions_a_call_and_further_calls_for_pages(memory: GistMemory) -> None:
    many = [Question(f"What about number {n}?") for n in range(12)]

    def answer(ask: Ask) -> str:
        numbers = range(1, ask.prompt.count("What about number") + 1)
        page = [int(part.split("?")[0]) for part in ask.prompt.split("What about number ")[1:]]
        if "Page [...]" in ask.prompt:
            return "\n".join(f"Q{n}: Page [{page[n - 1] % 14}]" for n in numbers) if ask.step == "batch" else "Page [1]"
        return "\n".join(f"Q{n}: It is {page[n - 1]}." for n in numbers) if ask.step == "batch" else f"It is {page[0]}."

    window = 4400
    results, asks = together(memory, answer, window=window, questions=many)
    assert texts(results) == [f"It is {n}." for n in range(12)]
    session = make_session(window=window)
    assert all(session.window.fits(ask.prompt) for ask in asks)
    assert len(asks) > 4
    roomy, few = together(memory, answer, questions=many)
    assert texts(roomy) == texts(results)
    assert len(few) == 2


def test_questions_are_asked_alone_where_they_cannot_share_a_call(memory: GistMemory) -> None:
    class Pointer:
        async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
            return [Hint(3, 1.0)]

    def answer(ask: Ask) -> str:
        return "STOP" if ask.step == "look_up" else "Answer: (B) It is true."

    for plan in (replace(DIRECT, look_up="sequential"), replace(DIRECT, look_up="none"), replace(DIRECT, hints=True)):
        session = replace(make_session(answer, plan), hinter=Pointer())
        results = run(ask_together(memory, QUESTIONS, session, [Trace() for _ in QUESTIONS]))
        assert len(texts(results)) == 4
        assert "batch" not in {one.step for one in session.model.asks}  # type: ignore[attr-defined]


PIECES = st.sampled_from(["Q1: ", "Q2: ", "\nQ3: ", "\nQ4: ", "4. ", "(B)", "true", "Page [2]", "It is so.", "\n", "{", "}", "[", '"',
                          "I'm sorry, but I can't help with that.", "<think>", "Page 3: \"x\""])  # fmt: skip


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=14).map("".join),
       st.sampled_from(["direct", "parallel"]), st.booleans())  # fmt: skip
def test_no_question_is_lost_whatever_the_reply(reply: str, look_up: str, quotes: bool) -> None:
    def answer(ask: Ask) -> str:
        if ask.step == "batch":
            return reply
        return "Page [0]" if ask.step == "look_up" else "Answer: (B) It is true."

    plan = Plan(look_up=look_up, quotes=quotes, check=False)  # type: ignore[arg-type]
    results, _ = together(_MEMORY, answer, plan)
    assert [one.question for one in results if isinstance(one, Answer)] == list(QUESTIONS)
    assert all(one.text.strip() for one in results if isinstance(one, Answer))


_MEMORY = run(read_and_fit(prose(16), make_session()))
