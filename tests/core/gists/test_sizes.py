"""Sizes chosen for the text: the memory of a note and of a novel both fit, with page sizes the paper tested."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.asking.view import view_of
from readagent.core.document import Document
from readagent.core.gists.parts import room_for
from readagent.core.gists.sizes import choose_sizes, expected_words
from readagent.core.plan import PRESETS, Plan
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from sessions import make_session, prose, read_and_fit, run, sensible

AUTO = PRESETS["auto"]


@cache
def text_of(words: int) -> Document:
    return Document.from_text("\n\n".join(["The quick brown fox jumps over the lazy dog again."] * (words // 10)))


@pytest.mark.parametrize("window", [None, 4500, 8192, 131_072])
def test_a_short_text_has_pages_of_the_default_size(window: int | None) -> None:
    plan = choose_sizes(AUTO, text_of(1000), Window(window))
    assert (plan.page_words, plan.min_page_words, plan.gist_words, plan.scale) == (600, 280, 0, False)


def test_a_word_limit_is_filled_with_detail() -> None:
    document = text_of(100_000)
    plans = [
        choose_sizes(replace(AUTO, memory_words=words), document, Window()) for words in (25_000, 16_000, 9_500, 5_000)
    ]
    assert [plan.page_words for plan in plans] == [400, 600, 1200, 3000]
    for plan in plans:
        assert expected_words(plan, 100_000) <= plan.memory_words * 1.02


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(10, 600_000), st.one_of(st.none(), st.integers(700, 200_000)), st.integers(0, 20_000))
def test_sizes_stay_in_the_range_that_was_tested(words: int, window: int | None, budget: int) -> None:
    document = Document(SAMPLE * (words // 100 + 1), ())
    plan = choose_sizes(replace(AUTO, memory_words=budget), document, Window(window))
    assert 0 < plan.min_page_words <= plan.page_words <= 3000
    assert plan.gist_words == 0 or plan.gist_words >= 40
    assert not plan.scale
    if window is not None and window > 2048:
        assert estimate_tokens(SAMPLE) / 100 * plan.page_words < window / 2  # a page can be opened beside the memory


SAMPLE = "Some words of an ordinary length stand here. " * 12 + "And four more words. "


@pytest.mark.parametrize("budget", [60, 500])
@pytest.mark.parametrize("window", [None, 4096])
def test_the_memory_never_exceeds_its_word_limit(budget: int, window: int | None) -> None:
    document = prose(400)
    plan = choose_sizes(
        Plan(page_words=200, min_page_words=100, scale=True, memory_words=budget), document, Window(window)
    )
    session = make_session(sensible, plan, window)
    memory = run(read_and_fit(document, session))
    room = room_for(memory, session)
    assert view_of(memory, [0], room.tokens, room.count).words() <= budget
    assert "".join(map(memory.page_text, range(len(memory.pages)))) == document.text
    answer = run(ask(memory, Question("Where is w3?"), make_session(sensible, plan, window)))
    assert set(answer.pages) <= set(range(len(memory.whole.pages)))
