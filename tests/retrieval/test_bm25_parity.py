"""Our BM25 on real pages, against two independent implementations: bm25s and rank_bm25.

Ours is Lucene's variant, which bm25s offers too. rank_bm25 has Okapi's, which differs in the idf and by the constant
k1 + 1; with Lucene's idf put in, its scores must agree with ours.
"""

from __future__ import annotations

import json
from collections import Counter
from math import log

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.retrieval.bm25 import Bm25, terms
from sessions import EXAMPLES

rank_bm25 = pytest.importorskip("rank_bm25", reason="rank-bm25 is not installed")

K1 = 1.5


def pages(name: str) -> list[str]:
    document = Document.from_text((EXAMPLES / name).read_text("utf-8"))
    found = PageBreaks(document, Plan(page_words=300, min_page_words=140, pauses="uniform")).uniform()
    return [document.text[page.start : page.end] for page in found]


def questions(name: str) -> list[str]:
    lines = (EXAMPLES / name).read_text("utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def ranking(scores: list[float]) -> list[int]:
    return [int(number) for number in np.argsort(-np.asarray(scores), kind="stable")]


def scores_of_bm25s(texts: list[str], question: str) -> list[float]:
    found = [terms(text) for text in texts]
    index = bm25s.BM25(k1=K1, b=0.75, method="lucene")
    index.index(found, show_progress=False)
    known = {term for text in found for term in text}
    asked = [term for term in terms(question) if term in known]
    return index.get_scores(asked).tolist() if asked else [0.0] * len(texts)


TEXTS = [("story.txt", "story.questions.jsonl"), ("meeting.txt", "meeting.questions.jsonl")]


@pytest.mark.parametrize(("text", "asked"), TEXTS)
def test_scores_and_ranking_agree_with_rank_bm25(text: str, asked: str) -> None:
    raw = pages(text)
    ours = Bm25(raw)
    theirs = rank_bm25.BM25Okapi([terms(page) for page in raw], k1=K1, b=0.75)
    seen = Counter(term for page in raw for term in set(terms(page)))
    theirs.idf = {term: log(1 + (len(raw) - count + 0.5) / (count + 0.5)) for term, count in seen.items()}
    assert len(raw) > 10
    for question in questions(asked):
        expected = theirs.get_scores(terms(question)) / (K1 + 1)
        found = ours.scores(question)
        assert found == pytest.approx(expected, abs=1e-9)
        assert ranking(found) == ranking(expected)


@pytest.mark.parametrize(("text", "asked"), TEXTS)
def test_scores_and_ranking_agree_with_bm25s(text: str, asked: str) -> None:
    raw = pages(text)
    ours = Bm25(raw)
    for question in [*questions(asked), "salt salt salt", "", "zzyzx", "the of"]:
        expected = scores_of_bm25s(raw, question)
        found = ours.scores(question)
        assert found == pytest.approx(expected, abs=1e-5)
        assert ranking(found) == ranking(expected)


@given(st.lists(st.text("ab c\n.", max_size=20), max_size=5), st.text("abc ", max_size=9))
def test_scores_agree_with_bm25s_on_any_text(texts: list[str], question: str) -> None:
    scores = Bm25(texts).scores(question)
    assert len(scores) == len(texts)
    if any(terms(text) for text in texts):
        assert scores == pytest.approx(scores_of_bm25s(texts, question), rel=1e-3, abs=1e-5)
