"""Scores of words and of meaning, and hints made of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

import readagent.sessions as sessions_module
from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Hinter, Vectors
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.retrieval.hints import WordHinter
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES, make_session, read_and_fit, run

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
KEY = Question("Which of the things that carry the number 14 did the key from the tin open?")


def story() -> GistMemory:
    return run(
        read_and_fit(
            Document.from_text(STORY), make_session(plan=Plan(pauses="uniform", page_words=400, min_page_words=200))
        )
    )


def test_word_hints_put_the_page_with_the_words_first() -> None:
    memory = story()
    hints = run(WordHinter().hints(memory, KEY))
    assert [hint.page for hint in hints[:1]] == [n for n in (hints[0].page,) if "14" in memory.page_text(n)]
    assert sorted(hint.page for hint in hints) == list(range(len(memory.pages)))
    assert [hint.score for hint in hints] == sorted((hint.score for hint in hints), reverse=True)
    assert sum(hint.score for hint in hints) == pytest.approx(0, abs=1e-6)
    assert all(hint.score == 0 for hint in run(WordHinter().hints(memory, Question("Zzyzx?"))))


def test_options_are_searched_too() -> None:
    memory = story()
    page = next(page.number for page in memory.pages if "bathhouse" in memory.page_text(page.number))
    plain, chosen = (run(WordHinter().hints(memory, question)) for question in (
        Question("Where was it?"), Question.choice("Where was it?", ["in the bathhouse", "elsewhere"])))  # fmt: skip
    score = {hint.page: hint.score for hint in chosen}[page]
    assert score > {hint.page: hint.score for hint in plain}[page]


np = pytest.importorskip("numpy", reason="needs the extra `local`")

from meanings import WordMeanings  # noqa: E402
from readagent.retrieval.bm25 import Bm25, passage_spans, passages, terms  # noqa: E402
from readagent.retrieval.evidence import Evidence, HybridHinter  # noqa: E402
from readagent.retrieval.meaning import MeaningHinter  # noqa: E402


def test_hybrid_hints_rank_all_pages_and_add_half_of_the_best_option() -> None:
    memory = story()
    options = ["in the bathhouse", "at the gate"]

    async def scores(question: Question) -> dict[int, float]:
        hints = await hinter.hints(memory, question)
        assert [hint.score for hint in hints] == sorted((hint.score for hint in hints), reverse=True)
        return {hint.page: hint.score for hint in hints}

    async def check() -> None:
        own, *others = [await scores(Question(f"Where was it? {option}".strip())) for option in ("", *options)]
        chosen = await scores(Question.choice("Where was it?", options))
        assert sorted(chosen) == list(range(len(memory.pages)))
        for page, score in chosen.items():
            assert score == pytest.approx(own[page] + 0.5 * max(other[page] for other in others), abs=1e-4)

    hinter = HybridHinter(WordMeanings())
    asyncio.run(check())


class Likeness:
    """An embedder that knows two subjects: the sea, and everything else."""

    name = "likeness"

    def __init__(self) -> None:
        self.embedded = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        rows = np.array([[any(w in text for w in ("sea", "ocean")), 0.1] for text in texts], np.float32)
        return Vectors(2, rows.tobytes())


def paged(*pages: str) -> GistMemory:
    """Return a memory with these pages, and without gists."""
    document = Document.from_text("\n\n".join(pages))
    plan = Plan(pauses="uniform", page_words=8, min_page_words=4)
    return run(read_and_fit(document, make_session(plan=plan)))


def test_meaning_puts_a_page_with_other_words_before_one_that_shares_some() -> None:
    memory = paged(
        "The captain drew a map of his garden.", "The captain had crossed every ocean by then.",
        "The cook sold carrots in the other town.", "Nobody ever asked her about the price again.",
    )  # fmt: skip
    asked = Question("Which sea was on the captain's map?")
    assert run(WordHinter().hints(memory, asked))[0].page == 0
    found = run(MeaningHinter(Likeness()).hints(memory, asked))
    assert {hint.page for hint in found[:2]} == {0, 1}
    assert sorted(hint.page for hint in found) == [0, 1, 2, 3]
    assert run(MeaningHinter(Likeness()).hints(memory, Question("Sailing on the sea?")))[0].page == 1


def test_meaning_costs_no_more_for_a_longer_text() -> None:
    def embedded(question: str, count: int) -> int:
        memory = paged(*(f"On day {day} the captain saw land number {day}." for day in range(count)))
        run(MeaningHinter(embedder := Likeness()).hints(memory, Question(question)))
        return embedder.embedded

    assert embedded("Which captain saw land on day 70?", 40) == embedded("Which captain saw land on day 70?", 90)
    assert embedded("Zzyzx?", 90) == 0, "without a word in common there are no first pages"


def test_the_search_is_by_meaning_where_the_weights_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def hinter_of(embedder: Likeness | None) -> Hinter | None:
        monkeypatch.setattr(sessions_module, "local_embedder", lambda home, library: embedder)
        return AsyncReadAgent(Skimmer()).sessions.hinter

    assert type(hinter_of(None)) is WordHinter
    assert type(hinter_of(Likeness())) is MeaningHinter


def test_concurrent_questions_index_the_pages_once() -> None:
    async def embedded(questions: int) -> int:
        embedder = WordMeanings()
        hinter = HybridHinter(embedder)
        await asyncio.gather(*(hinter.hints(memory, Question(f"Who is number {n}?")) for n in range(questions)))
        return len(embedder.embedded)

    memory = story()
    assert asyncio.run(embedded(5)) == asyncio.run(embedded(1)) + 4


def test_scores_are_those_of_lucene() -> None:
    scores = Bm25(["salt salt river", "river", "the lamp"]).scores("Salt?")
    assert scores == [pytest.approx(log(1 + 2.5 / 1.5) * 2 / (2 + 1.5 * (0.25 + 0.75 * 3 / (5 / 3)))), 0, 0]
    assert not any(Bm25(passages(STORY, 400)).scores("zzyzx the of and ？"))
    assert len(Bm25(["", " "]).scores("word")) == 2


def test_inflections_share_a_term_and_stop_words_have_none() -> None:
    assert terms("He weighed the weights while weighing.") == ["weigh", "weight", "whil", "weigh"]
    assert terms("What was that about?") == []
    assert terms("我喜欢读书") == ["我喜", "喜欢", "欢读", "读书"]


@given(st.text(max_size=600), st.integers(5, 60))
def test_passage_spans_match_the_passages(text: str, words: int) -> None:
    spans = passage_spans(text, words)
    assert [text[a:b].split() for a, b in spans] == [passage.split() for passage in passages(text, words)]
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)


def test_evidence_combines_words_and_meaning() -> None:
    pages = ["The cat sat on the mat.", "Prices of salt rose in spring.", "Nothing happened on the hill."]
    vectors = np.eye(3, dtype=np.float32)
    evidence = Evidence(pages, [[[(0, len(page))]] for page in pages], vectors)
    assert int(evidence.page_scores("What did salt cost?", vectors[1]).argmax()) == 1
    assert int(evidence.page_scores("Where was the animal?", vectors[0]).argmax()) == 0
    same = Evidence(["a", "a"], [[[(0, 1)]]] * 2, vectors[:1].repeat(2, 0))
    assert not same.page_scores("a", vectors[0]).any()
