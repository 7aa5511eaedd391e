"""Courtesies around an answer are removed, and an answer that has them is an answer."""

from __future__ import annotations

import pytest

from readagent import Document, Plan, ReadAgent
from readagent.core.model import Ask
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from sessions import sensible, supported

TEXT = "Anna Berg moved to Oslo in 1931 with her three brothers. Her father sold the farm in Bergen to Jens Lund."
QUOTE = 'Page 0: "Anna Berg moved to Oslo in 1931 with her three brothers."'
ANSWER = "Anna Berg went to Oslo."


def answered(said: str) -> ReadAgent:
    def reply(ask: Ask) -> str:
        return said if ask.step == "respond" else supported(ask) if ask.step == "check" else sensible(ask)

    return ReadAgent(ScriptedModel(reply), plan=Plan(look_up="none"))


@pytest.mark.parametrize("quoted", [f"\n\n{QUOTE}", ""], ids=["with a quote", "without"])
def test_a_chatty_answer_is_verified_like_a_plain_one(quoted: str) -> None:
    with answered(f"Sure! Here is the answer: {ANSWER} I hope this helps!{quoted}") as agent:
        answer = agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
    assert (answer.text, [one.text for one in answer.statements], answer.verified) == (ANSWER, [ANSWER], True)


@pytest.mark.parametrize("said", ["Sure! Please paste the text.", "I'm sorry, but I can't help with that.\n" + QUOTE])
def test_a_request_or_refusal_with_a_courtesy_is_no_answer(said: str) -> None:
    with answered(said) as agent, pytest.raises(NoAnswerError):
        agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
