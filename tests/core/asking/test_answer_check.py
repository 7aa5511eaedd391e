"""Free answers are checked: failure texts in many languages are none, and good answers of all kinds pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from readagent.core.asking.answer_check import AnswerCheck

from core.gists.passages import (
    CHINESE,
    ENGLISH,
    ERRORS,
    NOTHING,
    REFUSALS,
    REQUESTS,
)
from readagent import Library, Plan, ReadAgent, load
from readagent.core.document import Document
from readagent.core.trace import AnswerText
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, sensible

LOG = (
    "10:22:17 gateway: GET /orders\n10:22:19 gateway: 500 Internal Server Error\n10:22:30 gateway: retry 3 of 5\n"
    "10:24:02 gateway: tenant blue moved to pool B\n11:00:00 billing: insufficient balance for tenant green\n"
    "11:02:10 support: the assistant wrote: I'm sorry, but I can't help with that. Please try again later."
)
FAILURES = [
    *REFUSALS, *ERRORS, *REQUESTS, *NOTHING, "banana <999999> [[[", "data: [DONE]", "Insufficient balance", "Page [0]",
    "当前访问人数过多，请稍后再试。", "Xin lỗi, tôi không thể hỗ trợ yêu cầu này.", "GGGGGGGGGGGGGGGGGGGGGGGG",
    "I'd be happy to help! Please share the text.", "I want to look up Page [2, 7] to find the answer.",
]  # fmt: skip
GOOD = [
    "Because the ferry did not come.", "Yes", "1894", "(B)", "Nobody.", "N/A", "**Aksel**, the harbour clerk",
    "1. She reads the letter.\n2. She decides to lose it.\n3. Aksel brings it back.",
    "She wants to spare him the humiliation of being discarded after decades of faithful service.",
    "Unfortunately for her, Aksel found the letter.", "I cannot tell from the text.", "Not mentioned.",
    "The ferry's engine failed off Brattö, so a barge was sent. Let me know if you need more details!",
    "Error in judgement, on her part.", "Weil die Fähre nach Skarholm ausfiel.", "文中没有提到。", "彼女は船を待っている。",
    *ENGLISH.gists,
]  # fmt: skip


@pytest.mark.parametrize("page", [ENGLISH.page, CHINESE.page], ids=["English", "Chinese"])
def test_failure_texts_are_no_answers(page: str) -> None:
    check = AnswerCheck("Why does Johanna wait on the quay?", page)
    assert [text for text in FAILURES if not check.problem(text)] == []


def test_good_answers_pass() -> None:
    check = AnswerCheck("Why does Johanna wait on the quay?", ENGLISH.page)
    assert {text: check.problem(text) for text in GOOD if check.problem(text)} == {}


@pytest.mark.parametrize(
    "text",
    ["500 Internal Server Error", "Insufficient balance", "I'm sorry, but I can't help with that.", "429 requests"],
)
def test_a_failure_that_the_text_tells_of_is_an_answer(text: str) -> None:
    assert AnswerCheck("What does the log say?", LOG).problem(text) == ""


def test_a_text_about_something_else_is_no_answer() -> None:
    text = "In quantum mechanics, the Hamiltonian of a system corresponds to its total kinetic and potential energy."
    story = load(EXAMPLES / "story.txt").text[:6000]
    assert AnswerCheck("Why does she wait?", story).problem(text) == "it had nothing to do with the text"


@pytest.mark.parametrize("text", ["banana <999999> [[[", "Xin lỗi, tôi không thể hỗ trợ yêu cầu này."])
def test_a_failure_text_is_not_served_once_the_server_is_good(text: str, tmp_path: Path) -> None:
    replies = [text, text, "The ferry failed."]
    model = ScriptedModel(lambda ask: replies.pop(0) if ask.step == "respond" else sensible(ask))
    document = Document.from_text(ENGLISH.page)
    shown: list[object] = []
    with ReadAgent(model, library=Library(tmp_path), plan=Plan(page_words=100, min_page_words=50)) as agent:
        memory = agent.read(document)
        with pytest.raises(NoAnswerError):
            agent.ask(memory, "Why does she wait?", listen=shown.append)
        assert not any(isinstance(event, AnswerText) for event in shown)
        assert agent.ask(memory, "Why does she wait?").text == "The ferry failed."
