"""Free answers are checked: failure texts in many languages are none, and good answers of all kinds pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.gists.passages import (
    CHINESE,
    ENGLISH,
    ERRORS,
    NOTHING,
    REFUSALS,
    REQUESTS,
)
from readagent import Library, Plan, ReadAgent, load
from readagent.core.asking.answer_check import AnswerCheck
from readagent.core.document import Document
from readagent.core.events import AnswerText
from readagent.errors import NoAnswerError
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, sensible

LOG = (
    "10:22:17 gateway: GET /orders\n10:22:19 gateway: 500 Internal Server Error\n10:22:30 gateway: retry 3 of 5\n"
    "10:24:02 gateway: tenant blue moved to pool B\n11:00:00 billing: insufficient balance for tenant green\n"
    "11:02:10 support: the assistant wrote: I'm sorry, but I can't help with that. Please try again later."
)
MORE = [
    "banana <999999> [[[", "An error occurred during generation. Please try again later.", "</s>", "data: [DONE]",
    "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
    "API key not valid. Please pass a valid API key.", "Insufficient balance", "Hello! How can I assist you today?",
    "Ein Fehler ist aufgetreten. Bitte versuchen Sie es später erneut.", "Hallo! Wie kann ich dir heute helfen?",
    "Une erreur s'est produite. Veuillez réessayer plus tard.", "Произошла ошибка. Повторите попытку позже.",
    "当前访问人数过多，请稍后再试。", "エラーが発生しました。しばらくしてからもう一度お試しください。", "你好！有什么可以帮助你的吗？",
    "ขออภัย ฉันไม่สามารถช่วยเรื่องนี้ได้", "Xin lỗi, tôi không thể hỗ trợ yêu cầu này.", "让我们换个话题聊聊吧。",
    "Maaf, saya tidak dapat membantu permintaan ini.", "Λυπάμαι, δεν μπορώ να βοηθήσω με αυτό το αίτημα.",
    "Sajnálom, ebben nem tudok segíteni.", "Promiňte, s tímto vám nemohu pomoci.",
    "متاسفم، نمی‌توانم در این مورد کمک کنم.", "দুঃখিত, আমি এই অনুরোধে সাহায্য করতে পারছি না।",
    "You have run out of free messages. Upgrade to Pro to continue chatting.", "GGGGGGGGGGGGGGGGGGGGGGGG",
    "the the the the the the the the the the the the the the", "<unk><unk><unk><unk>", "<|im_start|>assistant",
    "Your subscription has expired; renew it to keep using the API.", '{"name": "summarize", "arguments": {}}',
    "The user wants me to shorten the passage. Let me think about what to keep.", "Break point: <3>",
    "no healthy upstream", "model not found", "An error occurred during streaming", "I can't answer that.",
    "サーバーが混み合っています。しばらくしてからもう一度お試しください。", "I cannot discuss that topic.", "What is your question?",
    "Я языковая модель и не могу обсуждать эту тему. Давайте поговорим о чём-нибудь другом.", "<Page 0>", "Page [0]",
    "Az ügyben sajnos nem tudok segíteni.", "I'd be happy to help! Please share the text.", "Page 0", "Pages [2, 7]",
    "Lütfen kısaltmamı istediğiniz metni gönderin.", "요약할 텍스트를 제공해 주세요.", "Proszę podać tekst, który mam skrócić.",
    "I want to look up Page [2, 7] to find the answer.", "MISSING: who is the clerk?",
    "The text was shortened as requested, in the same order and manner, keeping names and numbers.",
    "Der Text handelt von verschiedenen Personen und Ereignissen in der Vergangenheit.",
]  # fmt: skip
FAILURES = [*REFUSALS, *ERRORS, *REQUESTS, *NOTHING, *MORE]
TEXTS = {"Why does Johanna wait on the quay?": ENGLISH.page, "发生了什么？": CHINESE.page}
GOOD = {"Why does Johanna wait on the quay?": [
        "Because the ferry did not come.", "The engine failed.", "Yes", "No.", "No, she had promised not to read it.",
        "1894", "42 %", "(B)", "B", "Aksel", "Nobody.", "N/A", "Guilt.", "Out of loyalty.", "Thursday",
        "**Aksel**, the harbour clerk", "- the ferry is late\n- the engine failed\n- a barge is sent",
        "1. She reads the letter.\n2. She decides to lose it.\n3. Aksel brings it back.",
        '"the county thanked him for thirty-one years"', "Eleven crates of tomato seedlings.", "On the fourth of April.",
        "She wants to spare him the humiliation of being discarded after decades of faithful service.",
        "Probably out of pity: she thinks that a man who is cast aside so coldly deserves not to be told.",
        "It is ironic: the helpfulness of the clerk undoes her kindness.", "They were sorry for him.",
        "Unfortunately for her, Aksel found the letter.", "I cannot tell from the text.", "The text does not say.",
        "It is not stated.", "I'm afraid the passage gives no reason.", "Unclear.", "Not mentioned.",
        "The passage doesn't provide enough information to answer this question.",
        "The ferry's engine failed off Brattö, so a barge was sent. Let me know if you need more details!",
        "Step by step: the ferry breaks down; she waits; she opens the letter. So the answer is: for the barge.",
        "Sorry, the text does not mention a price.", "Error in judgement, on her part.", "Half past five",
        "He is told to come back and try again later.", "Weil die Fähre nach Skarholm ausfiel.", "Le 4 avril, à Skarholm.",
        "Johanna は船を待っている。", "Das steht nicht im Text.", "文中没有提到。", "Le texte ne le dit pas.",
        "В тексте об этом не говорится.", "本文には書かれていません。", "El texto no lo indica.",
        "申し訳ありませんが、本文には書かれていません。", "죄송하지만 본문에 나와 있지 않습니다.",
        "I cannot answer this from the text.", "The letter asks nobody to provide a text.",
    ], "Почему она ждёт?": ["Потому что паром сломался и придёт только баржа.", "Из жалости.", "Да."], "她为什么等待？": ["因为渡轮坏了，没有来。", "出于同情。", "是"]}  # fmt: skip


@pytest.mark.parametrize("question", TEXTS)
def test_failure_texts_are_no_answers(question: str) -> None:
    check = AnswerCheck(question, TEXTS[question])
    assert len(FAILURES) > 90
    assert [text for text in FAILURES if not check.problem(text)] == []


@pytest.mark.parametrize("question", GOOD)
def test_good_answers_pass(question: str) -> None:
    check = AnswerCheck(question, ENGLISH.page)
    assert sum(map(len, GOOD.values())) > 70
    assert {text: check.problem(text) for text in GOOD[question] if check.problem(text)} == {}


@pytest.mark.parametrize("sample", [ENGLISH, CHINESE])
def test_long_answers_in_the_language_of_the_text_pass(sample: object) -> None:
    assert isinstance(sample, type(ENGLISH))
    check = AnswerCheck("?", sample.page)
    assert [text for text in sample.gists if check.problem(text)] == []


@pytest.mark.parametrize(
    "text",
    ["500 Internal Server Error", "Insufficient balance", "I'm sorry, but I can't help with that.", "429 requests"],
)
def test_a_failure_that_the_text_tells_of_is_an_answer(text: str) -> None:
    assert AnswerCheck("What does the log say?", LOG).problem(text) == ""


@pytest.mark.parametrize(
    "text",
    ["Mert a komp aznap nem jött meg, és elromlott a motorja.", "彼女は船を待っている。"],
)
def test_an_answer_may_be_in_any_language(text: str) -> None:
    assert AnswerCheck("Why does she wait?", ENGLISH.page).problem(text) == ""


def test_a_text_about_something_else_is_no_answer() -> None:
    text = "In quantum mechanics, the Hamiltonian of a system corresponds to its total kinetic and potential energy."
    story = load(EXAMPLES / "story.txt").text[:6000]
    assert AnswerCheck("Why does she wait?", story).problem(text) == "it had nothing to do with the text"


@pytest.mark.parametrize("text", ["banana <999999> [[[", MORE[1], "Xin lỗi, tôi không thể hỗ trợ yêu cầu này."])
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
