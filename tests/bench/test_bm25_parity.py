"""BM25 on real pages, against the independent implementation in rank_bm25.

Ours is Lucene's form. rank_bm25 has Okapi's, which differs in the weight of a term and by the constant k1 + 1; given
Lucene's weights, its lengths and frequencies must come to our scores. BM25+ is a form that both packages offer whole.
"""

from __future__ import annotations

import json
from collections import Counter
from math import log

import bm25s
import numpy as np
import pytest

from readagent.core.document import Document
from readagent.core.pages.breaks import PageBreaks
from readagent.core.plan import Plan
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.terms import terms
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
        assert found == pytest.approx(expected, abs=1e-4)
        order = np.argsort(-expected, kind="stable")
        assert [int(n) for n in np.argsort(-found, kind="stable")[:4]] == [int(n) for n in order[:4]]


@pytest.mark.parametrize(("text", "asked"), TEXTS)
def test_the_engine_agrees_in_the_form_that_both_offer(text: str, asked: str) -> None:
    raw = [terms(page) for page in pages(text)]
    engine = bm25s.BM25(method="bm25+", k1=K1, b=0.75, delta=1)
    engine.index(raw, show_progress=False)
    theirs = rank_bm25.BM25Plus(raw, k1=K1, b=0.75, delta=1)
    known = {term for page in raw for term in page}
    for question in questions(asked):
        asked_terms = [term for term in terms(question) if term in known]
        assert engine.get_scores(asked_terms) == pytest.approx(theirs.get_scores(asked_terms), abs=1e-3)
