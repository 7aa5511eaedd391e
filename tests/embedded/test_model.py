"""The offline reader with vectors of words: its decisions, and that every decision is legal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sessions import EXAMPLES, read_and_fit, run

pytest.importorskip("numpy", reason="needs the extra `local`")

from hypothesis import given, settings
from hypothesis import strategies as st

from meanings import WordMeanings, WordReader
from readagent.core.document import Document
from readagent.core.plan import PRESETS, Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.core.words import sentences
from readagent.embedded.decide import best_pause
from readagent.embedded.model import LocalModel
from readagent.embedded.reader import Found
from readagent.embedded.shorten import embed_sentences, extract_gist

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))
TWO_THINGS = """Salt cost nine crowns. Salt was dear that year, and what salt cost was talked of everywhere in the town.

In the market too it was asked what salt cost, and why, and whether it would be cheaper when the ships came in again.

The lighthouse was kept by Orla Finn, who had come from the north with two dogs, a kettle and a great many books.

Nothing happened on the hill behind the town, where sheep stood about in the wind and looked at one another for hours.
"""
SEA = ["The ship left the harbour. The sea was calm.", "Sailors on the ship watched the sea and the harbour."]
BREAD = ["A baker kneads dough for bread. Flour covers the oven.", "Bread from the oven smells of flour and dough."]


def embedded(plan: Plan = PRESETS["articles"]) -> Session:
    return Session(LocalModel(WordMeanings(), WordReader()), Prompts.load(), plan)


def test_it_pauses_where_the_topic_changes() -> None:
    assert run(best_pause([SEA[0], SEA[1], BREAD[0], BREAD[1]], 3, WordMeanings())) == 2


def in_order(words: list[str], text: list[str]) -> bool:
    """Whether these words occur in a text in this order, possibly with others in between."""
    rest = iter(text)
    return all(word in rest for word in words)


def test_gists_consist_of_sentences_of_the_page_in_order() -> None:
    text = " ".join(STORY.text.split()[:500])
    gist = extract_gist(run(embed_sentences(text, WordMeanings())), 75)
    places = [text.find(sentence) for sentence in sentences(gist)]
    assert -1 not in places
    assert places == sorted(places)
    assert 40 <= len(gist.split()) <= 90


SENTENCES = st.sampled_from(
    ["However, Anna left (as she often did).", "“It is late,” he said.", "“Is it?” she asked softly.", "And so on.",
     "The key (from Brenza) was brass [sic].", "Then Desmond rang.", "(He had gone.)", "f (x) rises.", "But I won't.",
     "\"Yes,\" she said.", "No (", ") no (a) b (c", "So Anna", "“And Roth?” I replied."]
)  # fmt: skip


@given(st.lists(SENTENCES, min_size=1, max_size=20), st.integers(3, 60))
def test_every_word_of_a_gist_occurs_in_its_page_in_order(some: list[str], words: int) -> None:
    text = "\n\n".join(some)
    gist = extract_gist(run(embed_sentences(text, WordMeanings())), words)
    assert in_order(re.findall(r"\w+", gist), re.findall(r"\w+", text))


def test_a_clause_that_the_question_names_is_shown_first_and_whole() -> None:
    text = TWO_THINGS + "\n1.1 The Tenant pays:\n\n(a) the rent;\n\n(b) interest, but not:\n\n(i) in advance."
    memory = run(read_and_fit(Document.from_text(text), embedded()))
    answer = run(ask(memory, Question("What does 1.1(b) say of salt?"), embedded()))
    assert answer.text == "No short answer."
    assert answer.quotes[0].text == "(b) interest, but not:\n\n(i) in advance."


@pytest.mark.slow
def test_a_story_is_read_and_asked_without_any_fallback() -> None:
    who = embedded()
    memory = run(read_and_fit(STORY, who))
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


def test_a_free_answer_is_an_extract_of_its_first_quote() -> None:
    memory = run(read_and_fit(Document.from_text(TWO_THINGS), embedded()))
    answer = run(ask(memory, Question("What did salt cost?"), embedded()))
    assert answer.text == "Salt cost nine crowns"
    assert all(quote.text in memory.page_text(quote.page) for quote in answer.quotes)
    assert answer.extract is not None
    start, end = answer.extract
    assert answer.text == " ".join(TWO_THINGS[start:end].split())
    assert answer.quotes[0].start <= start < end <= answer.quotes[0].end
    assert answer.certainty is not None
    assert 0.5 < answer.certainty <= 1
    assert [statement.state for statement in answer.statements] == ["quoted"]


def test_the_option_whose_words_are_in_the_passages_is_chosen_with_a_certainty() -> None:
    memory = run(read_and_fit(Document.from_text(TWO_THINGS), embedded()))
    question = Question.choice("Who kept the lighthouse?", ["Orla Finn", "Jakob Orsin"])
    answer = run(ask(memory, question, embedded()))
    assert answer.choice == "A"
    assert answer.certainty is not None
    assert 0.5 < answer.certainty < 1


class Unsure(WordReader):
    """A reader that gives the first passage a logit, and finds nothing in the others."""

    def __init__(self, answered: float) -> None:
        self._answered, self.read = answered, set[str]()

    async def find(self, question: str, passages: Sequence[str]) -> list[Found]:
        self.read.update(passages)
        found = await super().find(question, passages)
        return [replace(one, answered=-9.0 if number else self._answered) for number, one in enumerate(found)]


def test_it_never_denies_but_shows_the_nearest_passages() -> None:
    memory = run(read_and_fit(Document.from_text(TWO_THINGS), embedded()))
    who = Session(LocalModel(WordMeanings(), Unsure(-5.0)), Prompts.load(), PRESETS["articles"])
    answer = run(ask(memory, Question("Which quasar did the sheep photograph?"), who))
    assert answer.text == "Not found."
    assert not answer.found_in_text
    assert answer.certainty is answer.extract is None
    assert answer.quotes


def test_passages_are_read_until_one_is_clear() -> None:
    memory = run(read_and_fit(STORY, embedded()))
    for answered, read in (15.0, 4), (-9.0, 24):
        reader = Unsure(answered)
        run(ask(memory, Question("Who has the key?"), replace(embedded(), model=LocalModel(WordMeanings(), reader))))
        assert len(reader.read) == read


@settings(max_examples=25)
@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_any_text_and_any_question_give_legal_decisions(words: list[str], question: str) -> None:
    text = " ".join(words)
    if not text.split() or not question.strip():
        return
    who = embedded(Plan(page_words=20, min_page_words=5))
    memory = run(read_and_fit(Document.from_text(text), who))
    answer = run(ask(memory, Question(question), embedded()))
    assert answer.text
    assert not {fallback.step for fallback in answer.trace.fallbacks}
