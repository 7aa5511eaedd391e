"""What counts as an answer: told by the form and by what was sent, the same in any language."""

from __future__ import annotations

import pytest

from readagent.core.memory import GistMemory
from readagent.core.model import Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.errors import NoAnswerError
from sessions import make_session, prose, read_and_fit, run

WHO = Question("Who opened the gate?")
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
    async def taken(replies: list[str]) -> list[str]:
        plan = Plan(look_up="none", check=False)
        found = []
        for one in replies:
            try:
                found.append((await ask(memory, WHO, make_session([Reply(one), Reply(one)], plan))).text)
            except NoAnswerError:
                continue
        return found

    assert run(taken(FAILURES)) == []
    assert run(taken([f"Answer: {one}" for one in ANSWERS])) == ANSWERS


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
