"""Sizes that follow from the text: a note and a novel both give a memory that fits, with pages of a size that is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.document import Document
from readagent.core.gists.sizes import KEPT, expected_words, kept_share, same_but_sizes, settled
from readagent.core.plan import PRESETS, Plan
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.window import Window
from readagent.core.words import estimate_tokens
from sessions import prose, read_and_fit, run, sensible, session

AUTO = PRESETS["auto"]


def text_of(words: int) -> Document:
    return Document.from_text("\n\n".join(["The quick brown fox jumps over the lazy dog again."] * (words // 10)))


def test_sizes_that_were_given_are_left_alone() -> None:
    for name in ("articles", "meetings", "books", "scripts"):
        assert settled(PRESETS[name], text_of(500_000), Window(8192)) == PRESETS[name]


@pytest.mark.parametrize("window", [None, 4096, 8192, 131_072])
def test_a_note_is_read_in_pages_of_the_usual_size(window: int | None) -> None:
    plan = settled(AUTO, text_of(1000), Window(window))
    assert (plan.page_words, plan.min_page_words, plan.gist_words, plan.scale) == (600, 280, 0, False)


def test_pages_of_any_size_stay_as_they_are_where_they_fit() -> None:
    small = replace(AUTO.scaled(250), scale=True)
    assert settled(small, text_of(3_000), Window(32_768)).page_words == 250
    assert settled(small, text_of(300_000), Window(8192)).page_words > 250


def test_a_reading_is_gone_on_with_only_where_nothing_but_sizes_differs() -> None:
    assert same_but_sizes(replace(AUTO.scaled(1200), gist_words=80), AUTO)
    for other in (replace(AUTO, memory_words=300), replace(AUTO, task="x"), replace(AUTO, mode="fast")):
        assert not same_but_sizes(other, AUTO)
        assert not same_but_sizes(AUTO, other)


def test_the_longer_the_text_the_larger_the_pages() -> None:
    sizes = [settled(AUTO, text_of(words), Window(16_384)).page_words for words in (5_000, 40_000, 90_000, 400_000)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 600
    assert sizes[-1] > 1000
    long = settled(AUTO, text_of(400_000), Window(16_384))
    assert long.by_importance
    assert long.max_pages == 3


def test_a_budget_of_words_gives_as_much_detail_as_it_has_room_for() -> None:
    document = text_of(100_000)
    plans = [settled(replace(AUTO, memory_words=words), document, Window()) for words in (25_000, 16_000, 9_500, 5_000)]
    assert [plan.page_words for plan in plans] == [400, 600, 1200, 3000]
    for plan in plans:
        assert expected_words(plan, 100_000) <= plan.memory_words * 1.02


def test_gists_are_told_how_long_they_may_be_where_larger_pages_do_not_do() -> None:
    plan = settled(replace(AUTO, memory_words=3_000), text_of(100_000), Window())
    assert plan.page_words == 3000
    assert 40 <= plan.gist_words < 100
    who = session(plan=replace(plan, page_words=400, min_page_words=200))
    run(read_and_fit(text_of(4_000), who))
    gisting = [one.prompt for one in who.model.asks if one.step == "gist"]  # type: ignore[attr-defined]
    assert all(f"at most {plan.gist_words} words" in prompt for prompt in gisting)


def test_the_share_of_the_gists_is_the_papers_and_falls_in_between() -> None:
    assert [kept_share(size) for size in KEPT] == list(KEPT.values())
    shares = [kept_share(size) for size in range(100, 4000, 50)]
    assert shares == sorted(shares, reverse=True)


@settings(max_examples=60, deadline=None)
@given(st.integers(10, 2_000_000), st.one_of(st.none(), st.integers(700, 200_000)), st.integers(0, 20_000))
def test_sizes_stay_in_the_range_that_was_tested(words: int, window: int | None, budget: int) -> None:
    document = Document(SAMPLE * (words // 100 + 1), ())
    plan = settled(replace(AUTO, memory_words=budget), document, Window(window))
    assert 0 < plan.min_page_words <= plan.page_words <= 3000
    assert plan.gist_words == 0 or plan.gist_words >= 40
    assert not plan.scale
    if window is not None and window > 2048:
        assert estimate_tokens(SAMPLE) / 100 * plan.page_words < window / 2  # a page can be opened beside the memory


SAMPLE = "Some words of an ordinary length stand here. " * 12 + "And four more words. "


@pytest.mark.parametrize("budget", [60, 200, 500])
@pytest.mark.parametrize("window", [None, 4096])
def test_the_memory_never_has_more_words_than_it_may(budget: int, window: int | None) -> None:
    document = prose(400)
    plan = settled(Plan(page_words=200, min_page_words=100, scale=True, memory_words=budget), document, Window(window))
    who = session(sensible, plan, window)
    memory = run(read_and_fit(document, who))
    assert memory.words() <= budget
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    answer = run(ask(memory, Question("Where is w3?"), session(sensible, plan, window)))
    assert set(answer.pages) <= set(range(len(memory.pages)))
