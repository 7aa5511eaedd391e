"""Gists too long for one prompt get a memory tree: it covers all pages, fills the window, and no prompt exceeds it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readagent.core.gists.merge import fit, needs_parts

from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from readagent.core.plan import PRESETS
from sessions import EXAMPLES, SMALL, make_session, read_and_fit, run, sensible

STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


def memory_of(pages: int, gist_words: int = 30) -> GistMemory:
    """A memory of pages with 40 words, some of them numbers, and gists of this many."""
    words = [f"{1000 + i}" if i % 3 else f"w{i}" for i in range(40 * pages)]
    document = Document.from_text("\n\n".join(" ".join(words[40 * n :][:40]) + "." for n in range(pages)))
    spans = tuple(Page(n, one.start, one.end, 40) for n, one in enumerate(document.paragraphs))
    gists = tuple(
        Gist(" ".join(document.text[page.start : page.end].split()[:gist_words]), gist_words) for page in spans
    )
    return GistMemory(document, spans, gists, SMALL)


def levels(memory: GistMemory) -> list[GistMemory]:
    return [memory, *(levels(memory.finer) if memory.finer is not None else [])]


def test_a_memory_that_fits_is_not_merged() -> None:
    session = make_session(plan=PRESETS["articles"], window=8192)
    memory = run(read_and_fit(STORY, session))
    assert "merge" not in session.trace.steps()
    assert memory.window is None


@pytest.mark.parametrize("window", [1024, 4096])
@pytest.mark.parametrize("pages", [130])
def test_every_level_covers_all_pages_in_order_and_the_top_fills_the_window(pages: int, window: int) -> None:
    memory, session = memory_of(pages), make_session(window=window)
    tree = run(fit(memory, session))
    assert tree.window == window
    for level in levels(tree):
        assert "".join(map(level.page_text, range(len(level.pages)))) == memory.document.text
        assert [page.number for page in level.pages] == list(range(len(level.pages)))
    assert tree.whole is memory
    shown = session.window.count(tree.render())
    assert 0.85 * session.window.index <= shown <= session.window.index
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]


def test_a_tree_is_used_again_in_its_window_and_made_anew_for_another() -> None:
    session = make_session(window=2048)
    tree = run(fit(memory_of(130), session))
    calls = len(session.trace.calls)
    assert run(fit(tree, session)) is tree
    assert len(session.trace.calls) == calls
    other = run(fit(tree, make_session(window=1024)))
    assert other.window == 1024
    assert other.whole is tree.whole


def test_a_part_names_its_headings_and_who_is_in_it() -> None:
    names = [f"Q{'abcdefghij'[n // 10 % 10]}{'abcdefghij'[n % 10]}r{'xyz'[n // 100 % 3]}" for n in range(300)]
    text = "\n\n".join(f"There {name} met {name}, and {name} left them there then, it is said." for name in names)
    document = Document.from_text(text)
    paragraphs = tuple(replace(one, heading=1) if one.index == 0 else one for one in document.paragraphs)
    document = replace(document, paragraphs=paragraphs)
    pages = tuple(Page(n, one.start, one.end, 13) for n, one in enumerate(document.paragraphs))
    memory = GistMemory(document, pages, tuple(Gist("They met and they left again.", 6) for _ in pages), SMALL)
    tree = run(fit(memory, make_session(window=2048)))
    first = tree.gists[0].text
    assert first.splitlines()[0].startswith("There Qaarx met Qaarx, and Qaarx left them there then,")
    assert re.search(r"^Names: .*\bQabrx\b", first, re.M)


def test_a_useless_entry_is_replaced_by_the_beginnings_of_the_gists() -> None:
    session = make_session(lambda ask: "" if ask.step == "merge" else sensible(ask), SMALL, window=1024)
    tree = run(fit(memory_of(100), session))
    assert session.trace.fallback_counts() == {
        "merge": sum(gist.origin == "part" for one in levels(tree) for gist in one.gists)
    }
    assert "w0 1001 1002" in tree.gists[0].text


@pytest.mark.slow
def test_only_the_last_branch_is_new_after_more_text() -> None:
    """Replies to the same prompts are kept by the library, so only new prompts are paid for."""
    before, after = make_session(window=1024), make_session(window=1024)
    run(fit(memory_of(300), before))
    run(fit(memory_of(304), after))
    old = {ask.prompt for ask in before.model.asks}  # type: ignore[attr-defined]
    new = [ask for ask in after.model.asks if ask.prompt not in old]  # type: ignore[attr-defined]
    assert len(new) <= 8 < len(old) // 5


@settings(max_examples=20, deadline=None)
@given(pages=st.integers(1, 80), words=st.integers(1, 40), window=st.sampled_from([512, 700, 1500, None]))
def test_a_tree_can_be_built_for_any_memory(pages: int, words: int, window: int | None) -> None:
    memory, session = memory_of(pages, words), make_session(window=window)
    tree = run(fit(memory, session))
    assert (tree is memory) == (not needs_parts(memory, session))
    assert tree is memory or len(tree.pages) < pages


def chatty(ask: Ask) -> str:
    return "and so on " * 500 if ask.step == "merge" else sensible(ask)


def test_a_model_that_ignores_limits_does_not_make_the_tree_too_long() -> None:
    session = make_session(chatty, SMALL, window=1024)
    tree = run(fit(memory_of(100), session))
    assert session.window.count(tree.render()) <= session.window.index
