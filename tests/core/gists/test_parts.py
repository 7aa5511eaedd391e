"""Gists too long for one prompt get an index: it covers all pages, is the same for every window, and grows at its end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.gists.parts import fit, index_of, needs_parts
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from sessions import SMALL, make_session, run, sensible

DIRECT = replace(SMALL, look_up="direct")


def memory_of(pages: int, gist_words: int = 30) -> GistMemory:
    """A memory of pages with 40 words, some of them numbers, and gists of this many."""
    words = [f"{1000 + i}" if i % 3 else f"w{i}" for i in range(40 * pages)]
    document = Document.from_text("\n\n".join(" ".join(words[40 * n :][:40]) + "." for n in range(pages)))
    spans = tuple(Page(n, one.start, one.end, 40) for n, one in enumerate(document.paragraphs))
    gists = tuple(
        Gist(" ".join(document.text[page.start : page.end].split()[:gist_words]), gist_words) for page in spans
    )
    return GistMemory(document, spans, gists, DIRECT)


def levels(memory: GistMemory) -> list[GistMemory]:
    return [memory, *(levels(memory.finer) if memory.finer is not None else [])]


@pytest.mark.parametrize("pages", [130, 1500])
def test_every_level_covers_all_pages_in_order_and_the_top_has_few_entries(pages: int) -> None:
    memory, session = memory_of(pages), make_session(plan=DIRECT)
    index = run(fit(memory, session))
    for level in levels(index):
        assert "".join(map(level.page_text, range(len(level.pages)))) == memory.document.text
        assert [page.number for page in level.pages] == list(range(len(level.pages)))
    assert index.whole is memory
    assert len(index.pages) <= 30


def test_the_index_is_the_same_for_every_window_and_used_again() -> None:
    sessions = [make_session(plan=DIRECT, window=window) for window in (4096, 8192, None)]
    made = [run(fit(memory_of(130), session)) for session in sessions]
    assert len({(one.pages, one.gists) for one in made}) == 1
    assert run(fit(made[0], sessions[1])) is made[0]


def test_an_entry_begins_with_the_first_and_the_last_heading() -> None:
    memory = memory_of(130)
    marked = [replace(one, heading=1) if one.index in (0, 3) else one for one in memory.document.paragraphs]
    memory = replace(memory, document=replace(memory.document, paragraphs=tuple(marked)))
    entry = run(fit(memory, make_session(plan=DIRECT))).gists[0].text
    assert entry.startswith("w0 1001 1002 w3 1004 1005 w6 1007 … w120 1121 1122 w123")


def test_a_useless_entry_is_replaced_by_the_beginnings_of_the_gists() -> None:
    session = make_session(lambda ask: "" if ask.step == "merge" else sensible(ask), DIRECT)
    index = run(fit(memory_of(130), session))
    parts = sum(gist.origin == "part" for one in levels(index) for gist in one.gists)
    assert session.trace.fallback_counts() == {"merge": parts}
    assert "w0 1001 1002" in index.gists[0].text


def test_only_the_last_part_is_new_after_more_text() -> None:
    """Replies to the same prompts are kept by the library, so only new prompts are paid for."""
    before, after = make_session(plan=DIRECT), make_session(plan=DIRECT)
    run(fit(memory_of(300), before))
    run(fit(memory_of(304), after))
    old = {ask.prompt for ask in before.model.asks}  # type: ignore[attr-defined]
    new = [ask for ask in after.model.asks if ask.prompt not in old]  # type: ignore[attr-defined]
    assert len(new) <= 4 < len(old) // 4


@settings(max_examples=20, deadline=None)
@given(pages=st.integers(2, 80), words=st.integers(1, 40), window=st.sampled_from([512, 700, 1500, None]))
def test_an_index_can_be_made_for_any_memory(pages: int, words: int, window: int | None) -> None:
    memory, session = memory_of(pages, words), make_session(plan=DIRECT, window=window)
    index = run(fit(memory, session))
    assert (index is memory) == (not needs_parts(memory, session))
    assert index is memory or len(index.pages) < pages
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]


def chatty(ask: Ask) -> str:
    return "and so on " * 500 if ask.step == "merge" else sensible(ask)


def test_a_model_that_ignores_limits_does_not_make_entries_too_long() -> None:
    session = make_session(chatty, DIRECT)
    index = run(index_of(memory_of(100), session))
    assert all(session.window.count(gist.text) <= 66 for gist in index.gists)
