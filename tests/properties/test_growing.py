"""Whatever is appended and whatever the model replies, closed pages never change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.test_reading import PLANS, TEXTS
from readagent.core.document import Document
from readagent.core.gists.rewrite import shorten_older
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.pages.growing import closed_pages, extend, grow
from readagent.core.plan import Plan
from readagent.core.words import count_words
from sessions import make_session, run, sensible


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(TEXTS, st.sampled_from(["read", "live", "wait"])), max_size=6), PLANS, st.randoms())
def test_closed_pages_never_change(pieces: list[tuple[str, str]], plan: Plan, dice: object) -> None:
    def pick(ask: Ask) -> str:
        return f"<{dice.choice(ask.choice.values)}>" if ask.step == "paginate" else sensible(ask)  # type: ignore[attr-defined,union-attr]

    memory = GistMemory(Document("", ()), (), (), plan)
    for text, how in pieces:
        document = memory.document.appended(text)
        if not count_words(document.text):
            continue
        session, before = make_session(pick, plan), memory
        memory = extend(memory, document) if how == "wait" else run(grow(memory, document, session, live=how == "live"))
        stay = len(closed_pages(before))
        assert memory.pages[:stay] == before.pages[:stay]
        assert memory.gists[:stay] == before.gists[:stay]
        assert document.text.startswith(before.document.text)
        assert "".join(memory.page_text(page.number) for page in memory.pages) == document.text
        assert [page.number for page in memory.pages] == list(range(len(memory.pages)))
        assert sum(page.words for page in memory.pages) == count_words(document.text)
        assert "".join(document.text[one.start : one.end] for one in document.paragraphs) == document.text
        if plan.pauses == "model":
            assert all(
                plan.min_page_words <= page.words <= plan.page_words
                for page in closed_pages(memory)[len(closed_pages(before)) :]
            )


@pytest.mark.slow
@settings(max_examples=40)
@given(TEXTS, st.integers(1, 4), st.integers(0, 12))
def test_ageing_never_makes_a_memory_longer_or_a_gist_empty(text: str, recent: int, floor: int) -> None:
    plan = Plan(page_words=40, min_page_words=15, recent=recent, floor_words=floor)
    document = Document.from_text(text * 2)
    if not count_words(document.text):
        return
    whole = run(grow(GistMemory(Document("", ()), (), (), plan), document, make_session(plan=plan)))
    view = run(shorten_older(whole, make_session(plan=plan)))
    assert view.pages == whole.pages
    assert view.gists[-recent:] == whole.gists[-recent:]
    for short, full in zip(view.gists, whole.gists, strict=True):
        assert short.text
        assert short.words <= full.words
    assert replace(view, gists=whole.gists) == whole
