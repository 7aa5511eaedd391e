"""Answers are in the language of the question, gists in that of the text or in one that the reader asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lighthouse import STORIES, Story
from readagent.core.asking.answer import TEXT_IS_SILENT
from readagent.core.document import Document
from readagent.core.memory import GistMemory, reading_key
from readagent.core.model import Ask, Reply
from readagent.core.plan import LookUp, Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.errors import NoAnswerError, UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import run, sensible, supported

PLAN = Plan(page_words=400, pauses="uniform")
OTHERS = ["de", "zh"]
PAIRS = [("en", "en"), ("en", "de"), ("zh", "en"), ("de", "zh")]


def reader(gist: str = "", answer: str = "", asks: list[Ask] | None = None) -> Callable[[Ask], str]:
    """Return a model with one gist and one answer, which asks for no page."""

    def reply(ask: Ask) -> str:
        if asks is not None:
            asks.append(ask)
        match ask.step:
            case "gist":
                return gist
            case "look_up":
                return "Pages: none"
            case "check":
                return supported(ask)
            case _:
                return answer

    return reply


def memory_of(story: Story, plan: Plan = PLAN, gist: str = "") -> GistMemory:
    model = ScriptedModel(reader(gist or story.gist))
    return run(read(Document.from_text(story.text), Session(model, Prompts.load(), plan)))


MEMORIES = {code: memory_of(story) for code, story in STORIES.items()}


@pytest.mark.parametrize(("text", "question"), PAIRS)
def test_an_answer_is_asked_for_in_the_language_of_the_question(text: str, question: str) -> None:
    """The quotes stay in the language of the text, and are found there."""
    story, asked, asks = STORIES[text], STORIES[question], list[Ask]()
    reply = f'{asked.answer}\nPage 0: "{story.quote}"'
    session = Session(ScriptedModel(reader(answer=reply, asks=asks)), Prompts.load(), PLAN)
    answer = run(ask(MEMORIES[text], Question(asked.question), session))
    assert answer.text == asked.answer
    assert [quote.text for quote in answer.quotes] == [story.quote]
    assert (answer.found_in_text, answer.false_quotes, answer.verified) == (True, 0, True)
    assert not answer.trace.fallbacks
    (prompt,) = [one.prompt for one in asks if one.step == "respond"]
    assert "Write the answer in the language of the question, unless" in prompt


@pytest.mark.parametrize("question", OTHERS)
@pytest.mark.parametrize("look_up", ["parallel", "direct"])
def test_that_the_text_does_not_say_is_a_word_or_the_sentence_of_the_model(look_up: LookUp, question: str) -> None:
    asked = STORIES[question]
    plan = replace(PLAN, look_up=look_up)
    for reply, text in (
        ("NOT IN THE TEXT", TEXT_IS_SILENT),
        (f"Answer: {asked.absent}\nNOT IN THE TEXT", asked.absent),
    ):
        session = Session(ScriptedModel(reader(answer=reply)), Prompts.load(), plan)
        answer = run(ask(MEMORIES["en"], Question(asked.question), session))
        assert (answer.text, answer.found_in_text) == (text, False)


@pytest.mark.parametrize("code", OTHERS)
def test_a_gist_in_another_language_than_its_page_is_asked_for_again(code: str) -> None:
    asks, story = list[Ask](), STORIES[code]
    replies = iter([STORIES["en"].gist, story.gist])
    model = ScriptedModel(lambda ask: asks.append(ask) or next(replies))  # type: ignore[func-returns-value]
    memory = run(read(Document.from_text(story.text), Session(model, Prompts.load(), PLAN)))
    assert [gist.text for gist in memory.gists] == [story.gist]
    assert "it was not in the language of the passage" in asks[1].prompt


@pytest.mark.parametrize(("text", "wanted"), [pair for pair in PAIRS if pair[0] != pair[1]])
def test_gists_are_written_in_the_language_that_is_asked_for(text: str, wanted: str) -> None:
    """A gist in the language of the text is then not usable; one that shares no word with its page is."""
    asks, story, other = list[Ask](), STORIES[text], STORIES[wanted]
    replies = iter([f"Gist: {story.gist}", f"Gist: {other.gist}"])
    model = ScriptedModel(lambda ask: asks.append(ask) or next(replies))  # type: ignore[func-returns-value]
    plan = replace(PLAN, gist_language=wanted)
    memory = run(read(Document.from_text(story.text), Session(model, Prompts.load(), plan)))
    assert [(gist.text, gist.origin) for gist in memory.gists] == [(other.gist, "model")]
    assert f"Write in {other.language}." in asks[0].prompt
    assert f"it was not in {other.language}" in asks[1].prompt
    assert not memory.trace.fallbacks


def test_a_language_has_one_name_in_the_key_of_a_reading() -> None:
    def key(language: str) -> str:
        return reading_key(Plan(gist_language=language), "prompts", "model")

    assert (
        key("de")
        == key("German")
        == key("Deutsch")
        == key("de-AT")
        != key("")
        == reading_key(Plan(), "prompts", "model")
    )
    assert Plan(gist_language="Brazilian Portuguese").gist_language == "Brazilian Portuguese"
    with pytest.raises(UsageError, match="unknown language 'xx'"):
        Plan(gist_language="xx")


TWELVE = {  # a text, a sentence of it, an answer in the same language, and how a failure is worded there
    "English": ("The bell was cast in Ghent. A widow paid for it.", "A widow paid for it.", "A widow.", "I can't help."),
    "German": ("Die Glocke kam aus Gent. Eine Witwe zahlte.", "Eine Witwe zahlte.", "Eine Witwe.", "Das geht nicht."),
    "French": ("La cloche vient de Gand. Une veuve a payé.", "Une veuve a payé.", "Une veuve.", "Désolé, impossible."),
    "Spanish": ("La campana vino de Gante. Pagó una viuda.", "Pagó una viuda.", "Una viuda.", "Lo siento, no puedo."),
    "Polish": ("Dzwon odlano w Gandawie. Zapłaciła wdowa.", "Zapłaciła wdowa.", "Wdowa.", "Przykro mi, nie mogę."),
    "Turkish": ("Çan Gent'te döküldü. Parasını bir dul ödedi.", "Parasını bir dul ödedi.", "Bir dul.", "Üzgünüm."),
    "Russian": ("Колокол отлили в Генте. Заплатила вдова.", "Заплатила вдова.", "Вдова.", "Извините, не могу."),
    "Arabic": ("صُبّ الجرس في غنت. دفعت ثمنه أرملة.", "دفعت ثمنه أرملة.", "أرملة.", "آسف، لا أستطيع."),
    "Hindi": ("घंटा गेन्ट में ढला। एक विधवा ने पैसे दिए।", "एक विधवा ने पैसे दिए।", "एक विधवा।", "क्षमा करें, मैं नहीं कर सकता।"),
    "Chinese": ("钟铸于根特。一位寡妇付了钱。", "一位寡妇付了钱。", "一位寡妇。", "抱歉，我无法协助。"),
    "Japanese": ("鐘はゲントで鋳られた。ある未亡人が代金を払った。", "ある未亡人が代金を払った。", "未亡人です。", "申し訳ありません。"),
    "Korean": ("종은 겐트에서 주조되었다. 한 과부가 돈을 냈다.", "한 과부가 돈을 냈다.", "한 과부.", "죄송하지만 도와드릴 수 없습니다."),
}  # fmt: skip


@pytest.mark.parametrize("name", TWELVE)
def test_forms_work_the_same_in_twelve_languages(name: str) -> None:
    """An answer with its quote, an absence, and a failure that has no label: no wording decides which it is."""
    text, sentence, said, failure = TWELVE[name]
    memory = run(read(Document.from_text(text), Session(ScriptedModel(sensible), Prompts.load(), PLAN)))

    def answered(reply: str) -> Answer:
        model = ScriptedModel(lambda ask: Reply(supported(ask) if ask.step == "check" else reply))
        return run(ask(memory, Question("Who paid?"), Session(model, Prompts.load(), PLAN)))

    good = answered(f'Answer: {said}\nPage 0: "{sentence}"')
    assert (good.text, [quote.text for quote in good.quotes], good.verified) == (said, [sentence], True)
    assert not answered("NOT IN THE TEXT").found_in_text
    with pytest.raises(NoAnswerError):
        answered(failure)
