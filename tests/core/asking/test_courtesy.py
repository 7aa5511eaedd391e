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
BEFORE = [
    "Sure! ", "Of course! ", "Sure! Here is the answer: ", "Okay, here is the answer. ", "Here is the answer:\n\n",
    "Certainly! Here's what the text says: ", "Sure! Here is the answer based on the provided memory:\n\n",
    "Based on the text provided, here is the answer: ", "I'd be happy to help! ", "Thank you for the text. ",
    "Sure, here's the answer: ", "Natürlich! Hier ist die Antwort: ", "Bien sûr ! Voici la réponse : ",
    "¡Claro! Aquí está la respuesta: ", "Конечно! Вот ответ: ", "好的，以下是答案：", "もちろんです！", "Sure!\n\n**Answer:** ",
]  # fmt: skip
AFTER = [
    " I hope this helps!", " Let me know if you have other questions.", "\n\nPlease let me know if you need anything else.",
    " I hope this helps! Let me know if you would like more details!", " If you share more of the text, I can say more.",
    " Is there anything else you would like to know?", " Please provide more pages if you need the exact day.",
    " Ich hoffe, das hilft!", " Lassen Sie mich wissen, ob Sie mehr brauchen.", " N'hésitez pas à demander.",
    " Espero que esto te ayude.", " Надеюсь, это поможет!", " 希望这对您有帮助！", " お役に立てれば幸いです。",
]  # fmt: skip


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
    [
        "Sure enough, she came.", "Of course not.", "Certainly he knew.", "Here is where she lived: Oslo.", "Sicher ist nichts.",
        "She writes: \"Let me know when you arrive.\"", "I hope is what she calls it.", "If you ask her, she lets you know.",
        "Please is what he never says.", "Claro de Luna", "Oslo", "The answer: it is in Oslo.", "Let it be.",
    ],
)  # fmt: skip
def test_other_answers_stay_as_they_are(answer: str) -> None:
    assert without_courtesy(answer) == answer


def test_what_the_text_says_is_no_courtesy() -> None:
    answer = "Come home soon. Let me know when you arrive."
    assert without_courtesy(answer) == "Come home soon."
    assert without_courtesy(answer, lambda words: words.strip() in answer) == answer


@pytest.mark.parametrize("quoted", [f"\n\n{QUOTE}", ""], ids=["with a quote", "without"])
def test_a_chatty_answer_is_verified_like_a_plain_one(quoted: str) -> None:
    with answered(f"Sure! Here is the answer: {ANSWER} I hope this helps!{quoted}") as agent:
        answer = agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
    assert (answer.text, [one.text for one in answer.statements], answer.verified) == (ANSWER, [ANSWER], True)


def test_who_quotes_the_text_has_seen_it() -> None:
    said = "In the whole matter, kinship, migration, property and municipal affairs intertwine remarkably; could you send the text?"
    with answered(f"{said}\n{QUOTE}") as agent:
        assert agent.ask(agent.read(Document.from_text(TEXT)), "What is it about?").text == said
    with answered(said) as agent, pytest.raises(NoAnswerError):
        agent.ask(agent.read(Document.from_text(TEXT)), "What is it about?")


@pytest.mark.parametrize("said", ["Sure! Please paste the text.", "I'm sorry, but I can't help with that.\n" + QUOTE])
def test_a_request_or_refusal_with_a_courtesy_is_no_answer(said: str) -> None:
    with answered(said) as agent, pytest.raises(NoAnswerError):
        agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")


def test_an_answer_about_being_a_model_is_one() -> None:
    with answered(f"As an AI language model, I read that Anna Berg went to Oslo.\n{QUOTE}") as agent:
        answer = agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
    assert answer.text == "I read that Anna Berg went to Oslo."


def test_a_courtesy_alone_leaves_the_quote_as_the_answer() -> None:
    with answered(f"Sure! Here is the answer:\n{QUOTE}") as agent:
        answer = agent.ask(agent.read(Document.from_text(TEXT)), "Where did Anna Berg move?")
    assert answer.text == "Anna Berg moved to Oslo in 1931 with her three brothers."
