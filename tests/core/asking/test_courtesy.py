"""Courtesies around an answer are removed, and an answer that has them is an answer."""

from __future__ import annotations

import pytest

from readagent import Document, Plan, ReadAgent
from readagent.core.asking.courtesy import without_courtesy
from readagent.core.model import Ask
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from sessions import sensible, supported

TEXT = "Anna Berg moved to Oslo in 1931 with her three brothers. Her father sold the farm in Bergen to Jens Lund."
QUOTE = 'Page 0: "Anna Berg moved to Oslo in 1931 with her three brothers."'
ANSWER = "Anna Berg went to Oslo."
BEFORE = ["Sure! Here is the answer: ", "Bien sûr ! Voici la réponse : ", "好的，以下是答案："]  # fmt: skip
AFTER = [" I hope this helps!", " Is there anything else you would like to know?", " Ich hoffe, das hilft!"]


def answered(said: str) -> ReadAgent:
    def reply(ask: Ask) -> str:
        return said if ask.step == "respond" else supported(ask) if ask.step == "check" else sensible(ask)

    return ReadAgent(ScriptedModel(reply), plan=Plan(look_up="none"))


@pytest.mark.parametrize("before", BEFORE)
def test_a_courtesy_before_an_answer_is_removed(before: str) -> None:
    assert without_courtesy(f"{before}{ANSWER}") == ANSWER


@pytest.mark.parametrize("after", AFTER)
def test_a_courtesy_after_an_answer_is_removed(after: str) -> None:
    assert without_courtesy(f"{ANSWER}{after}") == ANSWER


@pytest.mark.parametrize(
    "answer",
    ["Sure enough, she came.", "She writes: \"Let me know when you arrive.\""],
)  # fmt: skip
def test_other_answers_stay_as_they_are(answer: str) -> None:
    assert without_courtesy(answer) == answer


@pytest.mark.parametrize("quoted", [f"\n\n{QUOTE}", ""], ids=["with a quote", "without"])
def test_a_chatty_answer_is_verified_like_a_plain_one(quoted: str) -> None:
    with answered(f"Sure! Here is the answer: {ANSWER} I hope this helps!{quoted}") as agent:
        answer = agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
    assert (answer.text, [one.text for one in answer.statements], answer.verified) == (ANSWER, [ANSWER], True)


@pytest.mark.parametrize("said", ["Sure! Please paste the text.", "I'm sorry, but I can't help with that.\n" + QUOTE])
def test_a_request_or_refusal_with_a_courtesy_is_no_answer(said: str) -> None:
    with answered(said) as agent, pytest.raises(NoAnswerError):
        agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
