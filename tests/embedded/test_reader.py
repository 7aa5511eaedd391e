"""The embedded reader with vectors made from words: what it decides, and that every decision is legal."""

from __future__ import annotations

import json

import pytest

from readers import EXAMPLES, prose, run

pytest.importorskip("numpy", reason="needs the extra `local`")
pytest.importorskip("bm25s", reason="needs the extra `local`")

from hypothesis import given, settings
from hypothesis import strategies as st

from meanings import WordMeanings
from readagent.core.document import Document
from readagent.core.plan import PRESETS, Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reader import Reader
from readagent.core.reading import ask, read
from readagent.core.words import sentences
from readagent.embedded.meaning import understood
from readagent.embedded.pause import best_pause, starts_section
from readagent.embedded.reader import EmbeddedReader
from readagent.embedded.shorten import shortened

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))
SEA = ["The ship left the harbour. The sea was calm.", "Sailors on the ship watched the sea and the harbour."]
BREAD = ["A baker kneads dough for bread. Flour covers the oven.", "Bread from the oven smells of flour and dough."]


def embedded(plan: Plan = PRESETS["articles"]) -> Reader:
    return Reader(EmbeddedReader(WordMeanings()), Prompts.load(), plan)


def test_it_pauses_where_the_topic_changes() -> None:
    assert run(best_pause([SEA[0], SEA[1], BREAD[0], BREAD[1]], 3, WordMeanings())) == 2


def test_it_prefers_the_start_of_a_section() -> None:
    assert run(best_pause([SEA[0], f"{SEA[1]}\n\n* * *", f"CHAPTER II\n\n{SEA[0]}", BREAD[0]], 3, WordMeanings())) == 2
    assert starts_section("And so it ended.", "Chapter 12. In which\nnothing happens.") is True
    assert starts_section("And so it ended.", "Chapter houses are cold, he said.\nIndeed.") is False


def test_gists_are_sentences_of_the_page_in_order_and_no_others() -> None:
    text = " ".join(STORY.text.split()[:500])
    gist = shortened(run(understood(text, WordMeanings())), 75)
    places = [text.find(sentence) for sentence in sentences(gist)]
    assert -1 not in places
    assert places == sorted(places)
    assert 40 <= len(gist.split()) <= 90


@pytest.mark.parametrize("text", ["One very long sentence " + "and so on " * 60, "word " * 200, "No."])
def test_a_gist_of_awkward_text_is_still_short_and_from_the_text(text: str) -> None:
    gist = shortened(run(understood(text, WordMeanings())), 20)
    assert gist
    assert gist in text
    assert len(gist.split()) <= 23


def test_a_story_is_read_and_asked_without_any_fallback() -> None:
    who = embedded()
    memory = run(read(STORY, who))
    assert not who.trace.fallbacks
    assert 0.75 < memory.compression < 0.92
    found = 0
    records = [json.loads(line) for line in (EXAMPLES / "story.questions.jsonl").read_text("utf-8").splitlines()]
    for record in records:
        options = record.get("options")
        question = Question.choice(record["question"], options) if options else Question(record["question"])
        answer = run(ask(memory, question, embedded()))
        assert not answer.trace.fallbacks
        assert answer.pages
        found += any(excerpt in memory.page_text(page) for page in answer.pages for excerpt in record["evidence"])
    assert found >= 12


def test_free_answers_quote_the_text_with_its_page() -> None:
    memory = run(read(STORY, embedded()))
    answer = run(ask(memory, Question("How many tonnes of salt were missing in 1959?"), embedded()))
    quotes = [line.partition(": ") for line in answer.text.splitlines() if line.startswith("Page ")]
    assert quotes
    for page, _, quote in quotes:
        assert quote.strip('"') in " ".join(memory.page_text(int(page.split()[1])).split())


def test_it_says_when_the_text_does_not_say() -> None:
    memory = run(read(STORY, embedded()))
    answer = run(ask(memory, Question("Which quasar did the astronauts photograph?"), embedded()))
    assert answer.text.startswith("The text does not seem to say.")


def test_sequential_look_up_opens_new_pages_and_stops() -> None:
    memory = run(read(STORY, embedded()))
    plan = Plan(look_up="sequential", max_pages=6)
    answer = run(ask(memory, Question("What does the pump sound like?"), embedded(plan)))
    assert 1 <= len(set(answer.pages)) == len(answer.pages) <= 6


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_any_text_and_any_question_give_legal_decisions(words: list[str], question: str) -> None:
    text = " ".join(words)
    if not text.split() or not question.strip():
        return
    who = embedded(Plan(max_words=20, min_words=5))
    memory = run(read(Document.from_text(text), who))
    answer = run(ask(memory, Question(question), embedded()))
    assert answer.text
    assert not {fallback.step for fallback in answer.trace.fallbacks}


def test_what_was_embedded_for_reading_serves_the_questions() -> None:
    """With vectors kept, a question needs new ones for itself alone."""
    who = embedded(Plan(max_words=60, min_words=20))
    memory = run(read(prose(20), who))
    meanings = who.model._embedder  # type: ignore[attr-defined]
    known = set(meanings.embedded)
    meanings.embedded.clear()
    run(ask(memory, Question("What about w40?"), who))
    fresh = {text for text in meanings.embedded if text not in known}
    assert len(fresh) <= 1 + 2 * len(memory.pages)
