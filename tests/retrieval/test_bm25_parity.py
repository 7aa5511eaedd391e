"""Our BM25 is Lucene's variant: on real pages it agrees with another implementation of it, bm25s."""

from __future__ import annotations

import json

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
