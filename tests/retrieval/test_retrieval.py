"""Finding pages by words and by meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import EXAMPLES

np = pytest.importorskip("numpy", reason="needs the extra `local`")

from readagent.core.words import count_words  # noqa: E402
from readagent.retrieval.bm25 import Bm25  # noqa: E402
from readagent.retrieval.evidence import Evidence  # noqa: E402
from readagent.retrieval.passages import passage_spans, passages  # noqa: E402
from readagent.retrieval.terms import terms  # noqa: E402

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
def test_passages_keep_every_word_and_their_size(text: str, words: int) -> None:
    cut = passages(text, words)
    assert "".join("".join(cut).split()) == "".join(text.split())
    assert all(count_words(passage) <= words + 1 for passage in cut)


@given(st.text(max_size=600), st.integers(5, 60))
def test_passage_spans_match_the_passages(text: str, words: int) -> None:
    spans = passage_spans(text, words)
    assert [text[a:b].split() for a, b in spans] == [passage.split() for passage in passages(text, words)]
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)


def test_terms_on_opened_pages_count_less() -> None:
    pages = [
        "The price of salt rose. Salt was dear, and the price of salt rose again.",
        "Salt and its price were talked of in the market for a while.",
        "The lighthouse keeper went home.",
        "Nothing happened on the hill.",
    ]
    evidence = Evidence(pages, [[page] for page in pages], None)
    question = "What of the price of salt, and of the lighthouse?"
    assert np.argsort(-evidence.page_scores(question)).tolist() == [0, 1, 2, 3]
    left = np.argsort(-evidence.page_scores(question, opened=[0])).tolist()
    assert [number for number in left if number != 0] == [2, 1, 3]


def test_terms_can_be_weighted() -> None:
    index = Bm25(PAGES)
    whole, none = index.scores("salt gate"), index.scores("gate")
    assert index.scores("salt gate", {"salt": 1.0}) == pytest.approx(whole)
    assert index.scores("salt gate", {"salt": 0.0}) == pytest.approx(none)
    assert index.scores("salt gate", {"salt": 0.5}) == pytest.approx(
        [(a + b) / 2 for a, b in zip(whole, none, strict=True)]
    )


def test_evidence_combines_words_and_meaning() -> None:
    pages = ["The cat sat on the mat.", "Prices of salt rose in spring.", "Nothing happened on the hill."]
    vectors = np.eye(3, dtype=np.float32)
    evidence = Evidence(pages, [[page] for page in pages], vectors)
    assert int(evidence.page_scores("What did salt cost?").argmax()) == 1
    assert int(evidence.page_scores("What did salt cost?", vectors[1]).argmax()) == 1
    assert int(evidence.page_scores("Where was the animal?", vectors[0]).argmax()) == 0
    assert not Evidence(["a", "a"], [["a"], ["a"]], None).page_scores("a").any()
