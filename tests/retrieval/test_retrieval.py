"""Finding pages by words and by meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import EXAMPLES

np = pytest.importorskip("numpy", reason="needs the extra `local`")

from readagent.retrieval.bm25 import (  # noqa: E402
    Bm25,
    passage_spans,
    passages,
    terms,
)
from readagent.retrieval.evidence import Evidence  # noqa: E402

STORY = (EXAMPLES / "story.txt").read_text("utf-8")
PAGES = passages(STORY, 400)


@pytest.mark.parametrize("question", ["", "zzyzx", "the of and", "？"])
def test_a_question_without_known_words_scores_zero(question: str) -> None:
    assert not any(Bm25(PAGES).scores(question))
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
    evidence = Evidence(pages, [[page] for page in pages], vectors)
    assert int(evidence.page_scores("What did salt cost?").argmax()) == 1
    assert int(evidence.page_scores("What did salt cost?", vectors[1]).argmax()) == 1
    assert int(evidence.page_scores("Where was the animal?", vectors[0]).argmax()) == 0
    assert not Evidence(["a", "a"], [["a"], ["a"]], None).page_scores("a").any()
