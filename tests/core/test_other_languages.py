"""Answers are in the language of the question, gists in that of the text or in one that the reader asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lighthouse import STORIES, Story
from readagent.core.document import Document
from readagent.core.memory import GistMemory, reading_key
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.errors import UsageError
from readagent.testing.scripted import ScriptedModel
from sessions import run, supported

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

    assert key("de") == key("German") == key("Deutsch") == key("de-AT")
    assert key("de") != key("") == reading_key(Plan(), "prompts", "model")
    assert Plan(gist_language="Brazilian Portuguese").gist_language == "Brazilian Portuguese"
    with pytest.raises(UsageError, match="unknown language 'xx'"):
        Plan(gist_language="xx")
