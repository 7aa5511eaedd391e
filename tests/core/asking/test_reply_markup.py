"""Answer and quotes are found in replies of many forms, and a reply without such a form stays as it is."""

from __future__ import annotations

import pytest

from readagent.core.asking.direct_reply import DirectReply, read_direct
from readagent.core.document import Document
from readagent.core.form import Choice
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from sessions import make_session, read_and_fit, run, supported

SAID = '"I will not go," said Anna, "until the rain has stopped."'
TEXT = f"""Anna Berg moved to Oslo in 1931 with her brothers. They made sure to write home.

{SAID} Her brother laughed.
"""
QUOTE = "Anna Berg moved to Oslo in 1931 with her brothers."
ANSWER = "She went to Oslo."


def answered(reply: str) -> Answer:
    plan = Plan(look_up="none")
    session = make_session(lambda one: supported(one) if one.step == "check" else reply, plan)
    return run(ask(run(read_and_fit(Document.from_text(TEXT), make_session(plan=plan))), Question("Where?"), session))


@pytest.mark.parametrize(
    "reply",
    [
        f'{{"answer": "{ANSWER}", "quotes": [{{"page": 0, "text": "{QUOTE}"}}]}}',
        f'<answer>{ANSWER}</answer>\n<quotes><quote page="0">{QUOTE}</quote></quotes>',
        f"{ANSWER}\n\n| Page | Quote |\n|---|---|\n| 0 | {QUOTE} |",
        f'{ANSWER} Page 0: "{QUOTE}"',
        f"{ANSWER}\n\n> {QUOTE}\n> — Page 0",
        f'{ANSWER}\n\nPage 0: "{QUOTE}" shows where she went.',
    ],
)
def test_replies_in_many_forms(reply: str) -> None:
    answer = answered(reply)
    assert (answer.text, [quote.text.rstrip(".") for quote in answer.quotes]) == (ANSWER, [QUOTE.rstrip(".")])
    assert (answer.false_quotes, answer.verified) == (0, True)


def test_a_line_of_dialogue_that_is_in_the_text_is_one_quote() -> None:
    answer = answered(f"She waits for the rain to stop.\n\n{SAID}")
    assert (answer.text, answer.false_quotes) == ("She waits for the rain to stop.", 0)
    assert [quote.text for quote in answer.quotes] == [SAID[1:-1]]
    assert [quote.text for quote in answered(SAID).quotes] == [SAID[1:-1]]


@pytest.mark.parametrize(
    "reply",
    [f"**Answer: {ANSWER}**", f"## Answer\n\n{ANSWER}"],
)
def test_the_label_of_an_answer_is_removed_whatever_its_markup(reply: str) -> None:
    assert answered(reply).text == ANSWER
    pages = Choice(("0", "1"), least=0, most=1, cues=("page",))
    assert read_direct(reply, pages, Question("Where?")) == DirectReply(ANSWER)
