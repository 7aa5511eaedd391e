"""Whatever the text and the replies: pages tile the text within their bounds, and reading always ends."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.gists.shorten import VERBATIM_WORDS
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.tokens import estimate_tokens
from readagent.core.words import WordIndex, count_words
from readagent.errors import NoAnswerError
from sessions import make_session, read_and_fit, run, sensible

WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=12)
GAP = st.sampled_from([" ", " ", " ", " ", ". ", ". ", ", ", "\n", "\n\n", "\n\n\n ", "\r\n\r\n", "\t", "! ", "。"])
TEXTS = st.lists(st.tuples(WORD, GAP), min_size=1, max_size=400).map(lambda pairs: "".join(w + g for w, g in pairs))
NONSENSE = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["", "<0>", "Break point: <99999>", "Pages: 0, 0, 0", "I'm sorry, I can't help with that.", "STOP", "<think>",
         "Answer: (Z)", "yes", "{", '{"answer": null}', "[" * 2000, "Error", "<Page 0>", "Page -1", "٣", "Page ²"]
    ),
)  # fmt: skip
REPLIES = st.lists(st.tuples(NONSENSE, st.sampled_from(["stop", "stop", "length", "refused"])), min_size=1, max_size=12)
PLANS = st.tuples(st.integers(5, 60), st.integers(0, 60), st.sampled_from(["model", "uniform"])).map(
    lambda n: Plan(min_page_words=n[0], page_words=n[0] + n[1], pauses=n[2])  # type: ignore[arg-type]
)


def babbling(replies: list[tuple[str, str]]) -> object:
    count = iter(range(10**9))

    def answer(ask: Ask) -> Reply:
        text, finish = replies[next(count) % len(replies)]
        return Reply(text, finish)  # type: ignore[arg-type]

    return answer


@given(TEXTS)
def test_paragraphs_tile_the_text(text: str) -> None:
    document = Document.from_text(text)
    assert "".join(text[p.start : p.end] for p in document.paragraphs) == text
    assert [p.index for p in document.paragraphs] == list(range(len(document.paragraphs)))


@given(TEXTS)
def test_the_word_index_agrees_with_counting(text: str) -> None:
    index = WordIndex(text)
    assert len(index) == count_words(text) == index.count(0, len(text))


@settings(max_examples=150)
@given(TEXTS, PLANS, REPLIES, st.sampled_from(["parallel", "sequential", "direct"]))
@example("0 ", Plan(page_words=5, min_page_words=5), [("(:::)", "stop")], "direct")  # nothing but punctuation
@example("0 ", Plan(page_words=5, min_page_words=5), [("(:::)", "stop")], "parallel")
@pytest.mark.slow
def test_no_reply_of_any_model_can_break_a_reading(
    text: str, plan: Plan, replies: list[tuple[str, str]], look_up: str
) -> None:
    if not count_words(text):
        return
    plan = Plan(plan.page_words, plan.min_page_words, look_up=look_up)  # type: ignore[arg-type]
    session = make_session(babbling(replies), plan)  # type: ignore[arg-type]
    memory = run(read_and_fit(Document.from_text(text), session))
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == text
    for page, gist_ in zip(memory.pages, memory.gists, strict=True):
        assert gist_.text
        assert gist_.origin != "verbatim" or page.words <= VERBATIM_WORDS
        assert gist_.words <= page.words
    assert sum(g.origin == "lead" for g in memory.gists) == session.trace.fallback_counts().get("gist", 0)
    for question in (Question("Why?"), Question.choice("Why?", ["a b", "c d", "e"]), Question.claim("So.")):
        try:
            answer = run(ask(memory, question, make_session(babbling(replies), plan)))  # type: ignore[arg-type]
        except NoAnswerError:
            assert question.kind == "free"
            continue
        assert answer.text.strip()
        assert set(answer.pages) <= set(range(len(memory.pages)))
        assert len(set(answer.pages)) == len(answer.pages) <= plan.max_pages


@settings(max_examples=60, deadline=None)
@given(TEXTS, REPLIES, st.integers(560, 2000))
def test_fitting_a_memory_always_ends(text: str, replies: list[tuple[str, str]], window: int) -> None:
    if not count_words(text):
        return
    plan = Plan(page_words=30, min_page_words=5)
    whole = run(read(Document.from_text(text * 3), make_session(sensible, plan)))
    session = make_session(babbling(replies), plan, window)  # type: ignore[arg-type]
    merged = run(fit(whole, session))
    assert "".join(map(merged.page_text, range(len(merged.pages)))) == text * 3
    assert estimate_tokens(merged.render()) <= session.window.prompt or len(merged.pages) == 1  # type: ignore[operator]
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
