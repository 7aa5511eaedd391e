"""Hints by words with the standard library, the same as with bm25s; and by words and meaning together."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.retrieval.hints import WordHinter
from readagent.retrieval.plain_bm25 import PlainBm25
from sessions import EXAMPLES, make_session, read_and_fit, run

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
KEY = Question("Which of the things that carry the number 14 did the key from the tin open?")


def story() -> GistMemory:
    return run(
        read_and_fit(
            Document.from_text(STORY), make_session(plan=Plan(pauses="uniform", page_words=400, min_page_words=200))
        )
    )


@pytest.mark.parametrize(
    "question", ["Who opened gate 14?", "What did Irma Valk pay for?", "salt salt salt", "", "zzyzx", "the of"]
)
def test_plain_bm25_agrees_with_bm25s_on_real_pages(question: str) -> None:
    pytest.importorskip("bm25s", reason="needs the extra `local`")
    from readagent.retrieval.bm25 import Bm25

    memory = story()
    pages = [memory.page_text(page.number) for page in memory.pages]
    assert PlainBm25(pages).scores(question) == pytest.approx(Bm25(pages).scores(question).tolist(), rel=1e-3, abs=1e-4)


@given(st.lists(st.text("ab c\n.", max_size=20), max_size=5), st.text("abc ", max_size=9))
def test_plain_bm25_agrees_with_bm25s_on_anything(pages: list[str], question: str) -> None:
    pytest.importorskip("bm25s", reason="needs the extra `local`")
    from readagent.retrieval.bm25 import Bm25

    scores = PlainBm25(pages).scores(question)
    assert len(scores) == len(pages)
    if any(page.strip(" \n.") for page in pages):
        assert scores == pytest.approx(Bm25(pages).scores(question).tolist(), rel=1e-3, abs=1e-4)


def test_word_hints_put_the_page_with_the_words_first() -> None:
    memory = story()
    hints = run(WordHinter().hints(memory, KEY))
    assert [hint.page for hint in hints[:1]] == [n for n in (hints[0].page,) if "14" in memory.page_text(n)]
    assert sorted(hint.page for hint in hints) == list(range(len(memory.pages)))
    assert [hint.score for hint in hints] == sorted((hint.score for hint in hints), reverse=True)
    assert sum(hint.score for hint in hints) == pytest.approx(0, abs=1e-6)
    assert all(hint.score == 0 for hint in run(WordHinter().hints(memory, Question("Zzyzx?"))))


def test_options_are_searched_for_too() -> None:
    memory = story()
    page = next(page.number for page in memory.pages if "bathhouse" in memory.page_text(page.number))
    plain, chosen = (run(WordHinter().hints(memory, question)) for question in (
        Question("Where was it?"), Question.choice("Where was it?", ["in the bathhouse", "elsewhere"])))  # fmt: skip
    score = {hint.page: hint.score for hint in chosen}[page]
    assert score > {hint.page: hint.score for hint in plain}[page]


def test_hints_by_words_and_meaning_are_those_of_the_offline_reader() -> None:
    pytest.importorskip("numpy", reason="needs the extra `local`")
    pytest.importorskip("bm25s", reason="needs the extra `local`")
    from meanings import WordMeanings
    from readagent.embedded.find import Finder
    from readagent.retrieval.hybrid import HybridHinter

    memory = story()

    async def both() -> None:
        hinter, finder = HybridHinter(WordMeanings()), Finder(memory, WordMeanings())
        for question in (KEY, Question.choice("Where was it?", ["in the bathhouse", "at the gate"])):
            order, scores = await finder.ranked(question)
            hints = await hinter.hints(memory, question)
            assert [hint.page for hint in hints] == order
            assert [hint.score for hint in hints] == pytest.approx([float(scores[page]) for page in order], abs=1e-4)

    asyncio.run(both())


def test_pages_are_prepared_once_however_many_ask_at_the_same_time() -> None:
    pytest.importorskip("numpy", reason="needs the extra `local`")
    pytest.importorskip("bm25s", reason="needs the extra `local`")
    from meanings import WordMeanings
    from readagent.retrieval.hybrid import HybridHinter

    async def embedded(questions: int) -> int:
        embedder = WordMeanings()
        hinter = HybridHinter(embedder)
        await asyncio.gather(*(hinter.hints(memory, Question(f"Who is number {n}?")) for n in range(questions)))
        return len(embedder.embedded)

    memory = story()
    assert asyncio.run(embedded(5)) == asyncio.run(embedded(1)) + 4
