"""Which pages are opened and how they are shown, and what counts as an answer: the same in any language."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import PRESETS, Plan
from readagent.core.question import Answer, Question, Turn
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.errors import NoAnswerError, UsageError
from sessions import EXAMPLES, make_session, prose, read_and_fit, run, sensible

WHO = Question("Who opened the gate?")
STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))
FAILURES = [  # of models, servers and programs around them
    "I'm unable to process this passage right now.",
    "Error: 503 The engine is currently overloaded, please try again later",
    '{"error": {"message": "Rate limit reached", "type": "requests"}}',
    "<html><head><title>504 Gateway Time-out</title></head></html>",
    "undefined",
    "Please provide the passage you would like me to work with.",
    "Es tut mir leid, dabei darf ich nicht behilflich sein.",
    "抱歉，我无法处理该请求。",
]
ANSWERS = [  # to questions about texts in which somebody refuses or something fails
    "\"I'm sorry, but I can't help you,\" the clerk says.",
    "503 Service Unavailable.",
    "Nobody.",
    "Because it violated their policy.",
    "Er sagt, dass er dabei nicht helfen darf.",
    "他说：“抱歉，我不能帮你。”",
]
QUOTE = "W15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27 w28 w29."


@pytest.fixture(scope="module")
def memory() -> GistMemory:
    return run(read_and_fit(prose(16), make_session()))


def asked(
    memory: GistMemory, question: Question, replies: list[str | Reply | Exception], **plan: object
) -> tuple[Answer, list[Ask]]:
    session = make_session(replies, Plan(**plan))  # type: ignore[arg-type]
    return run(ask(memory, question, session)), session.model.asks  # type: ignore[attr-defined]


def answered(memory: GistMemory, *replies: str, question: Question = WHO) -> Answer:
    session = make_session([Reply(reply) for reply in replies], Plan(look_up="none", check=False))
    return run(ask(memory, question, session))


@pytest.mark.parametrize(
    "text",
    ["I cannot answer that question.", "Es tut mir leid.", "申し訳ありませんが、お答えできません。", "No.", "1945", "Irma",
     "The text does not say it outright, but it was Irma."],
)  # fmt: skip
def test_what_stands_under_the_label_is_the_answer(memory: GistMemory, text: str) -> None:
    answer = answered(memory, f"Answer: {text}")
    assert (answer.text, answer.found_in_text) == (text, True)


@pytest.mark.parametrize(
    "reply",
    ["Sorry, something went wrong on our end.", "Es ist ein Fehler aufgetreten.", "Answer: [your answer here]",
     "Answer: <answer>", "Answer: ...", "Answer: Who opened the gate?", "Answer: no no no no no no no no no",
     "Answer: Answer the question from the text above, short and concise."],
)  # fmt: skip
def test_failures_echoes_and_placeholders_are_no_answers(memory: GistMemory, reply: str) -> None:
    with pytest.raises(NoAnswerError):
        answered(memory, reply, reply)
    assert answered(memory, reply, "Answer: Irma.").text == "Irma."


def test_a_message_of_failure_has_no_label_and_an_answer_may_say_what_it_says(memory: GistMemory) -> None:
    for one in FAILURES:
        with pytest.raises(NoAnswerError):
            answered(memory, one, one)
    assert [answered(memory, f"Answer: {one}").text for one in ANSWERS] == ANSWERS


def test_an_alternative_of_the_question_is_an_answer(memory: GistMemory) -> None:
    assert answered(memory, "Answer: Irma", question=Question("Was it Anna or Irma?")).text == "Irma"


def test_who_quotes_the_text_needs_no_label(memory: GistMemory) -> None:
    answer = answered(memory, f'Irma did.\n\n**Quotes:**\nPage 0: "{QUOTE}"')
    assert (answer.text, [quote.text for quote in answer.quotes]) == ("Irma did.", [QUOTE])


def test_a_quote_of_a_page_that_does_not_exist_is_no_part_of_the_answer(memory: GistMemory) -> None:
    answer = answered(memory, 'Answer: Irma did.\nPage 99: "The mayor sold seven hundred green umbrellas."')
    assert (answer.text, answer.false_quotes) == ("Irma did.", 1)


@pytest.mark.parametrize("look_up", ["direct", "parallel"])
def test_a_question_about_the_whole_text_is_answered_from_all_pages(memory: GistMemory, look_up: str) -> None:
    async def over_all(known: GistMemory, session: Session) -> str:
        return f"from {len(known.pages)} pages"

    session = make_session(["WHOLE TEXT"], Plan(look_up=look_up, max_pages=2, check=False))  # type: ignore[arg-type]
    assert run(ask(memory, WHO, session, over_all=over_all)) == f"from {len(memory.pages)} pages"


def test_opened_pages_replace_their_gists_in_place(memory: GistMemory) -> None:
    answer, asks = asked(memory, WHO, ["Pages: 2, 1", "The children."])
    prompt = asks[-1].prompt
    assert answer.pages == (2, 1)
    tags = [prompt.index(f"<Page {page.number}>\n") for page in memory.pages]
    assert tags == sorted(tags)
    assert f"<Page 2>\n{memory.page_text(2).strip()}" in prompt
    assert f"<Page 0>\n{memory.gists[0].text}" in prompt
    assert memory.gists[2].text not in prompt.replace(memory.page_text(2).strip(), "")


def test_sequential_look_up_sees_what_is_open_and_cannot_repeat_it(memory: GistMemory) -> None:
    answer, asks = asked(memory, WHO, ["Page 3", "Page 3", "**page 1**", "STOP", "The children."], look_up="sequential")
    assert answer.pages == (3, 1)
    assert "Page 3" in asks[1].prompt.split("not to be asked for again")[1]
    assert memory.page_text(3).strip() in asks[1].prompt
    assert asks[1].choice is not None
    assert "3" not in asks[1].choice.values
    assert not answer.trace.fallbacks


def test_multiple_choice_without_a_usable_reply_takes_the_best_supported_option(memory: GistMemory) -> None:
    question = Question.choice("Which?", ["nothing at all", "w10 w11 w12", "other things"])
    answer, _ = asked(memory, question, ["Pages: 0", "Hm.", "Hm.", "1: yes"])
    assert answer.choice == "B"
    assert [fallback.step for fallback in answer.trace.fallbacks] == ["respond"]


def test_a_truncated_answer_is_kept_and_recorded(memory: GistMemory) -> None:
    answer, _ = asked(memory, WHO, ["[]", Reply("Answer: The children, when", finish="length")])
    assert answer.text == "The children, when"
    assert "token limit" in answer.trace.fallbacks[0].reason


def test_the_latest_turns_that_fit_are_shown(memory: GistMemory) -> None:
    session = make_session(["[]", "Yes."])
    history = [Turn(f"question {i} " + "so " * 150, f"answer {i}") for i in range(20)]
    run(ask(memory, WHO, session, history))
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


def test_a_question_too_long_for_the_window_is_refused(memory: GistMemory) -> None:
    with pytest.raises(UsageError, match="too long"):
        run(ask(memory, Question("why " * 900), make_session(window=2048)))
