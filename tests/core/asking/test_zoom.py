"""A small window and a long text: parts are chosen first, then pages in them; page numbers stay the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readagent.core.asking.zoom import below, split_parts
from readagent.core.gists.merge import fit

from readagent.core.memory import GistMemory, Page
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Searched
from readagent.core.reading import ask, read
from readagent.core.tokens import estimate_tokens
from sessions import make_session, prose, run, sensible

LONG = prose(1200)  # 18,000 words
PAGES = Plan(page_words=200, min_page_words=100, max_pages=2)
WINDOW = 4096
WHERE = Question("Where is w9000?")


def wanting(word: str) -> object:
    """A model that chooses the page or part with the largest number in its gist that is not above this one."""

    def answer(ask: Ask) -> str:
        if ask.step == "look_up":
            assert ask.material.memory is not None
            starts = [page.start for page in ask.material.memory.pages]
            at = LONG.text.lower().index(f"{word} ")
            assert ask.choice is not None
            return f"{ask.choice.label}: {max(i for i, start in enumerate(starts) if start <= at)}"
        if ask.step == "respond":
            return f'It is there.\nPage 0: "{LONG.text[LONG.text.lower().index(f"{word} ") :][:60].split(".")[0]}"'
        return sensible(ask)

    return answer


@pytest.fixture(scope="module")
def whole() -> GistMemory:
    return run(read(LONG, make_session(plan=PAGES, window=WINDOW)))


@pytest.fixture(scope="module")
def merged(whole: GistMemory) -> GistMemory:
    return run(fit(whole, make_session(plan=PAGES, window=WINDOW)))


def asked(memory: GistMemory, **plan: object) -> tuple[Answer, list[Ask]]:
    session = make_session(wanting("w9000"), replace(PAGES, check=False, **plan), WINDOW)  # type: ignore[arg-type]
    return run(ask(memory, WHERE, session)), session.model.asks  # type: ignore[attr-defined]


def test_pages_of_a_text_far_too_long_for_the_window_can_be_opened(whole: GistMemory, merged: GistMemory) -> None:
    held = [page for page in merged.pages if page.start <= LONG.text.lower().index("w9000 ")][-1]
    assert estimate_tokens(merged.render({held.number})) > WINDOW  # as a whole, it could not be opened
    answer, asks = asked(merged)
    assert [ask.step for ask in asks] == ["look_up", "look_up", "respond"]
    assert "w9000 " in asks[-1].prompt.lower()  # the raw page
    assert all(make_session(window=WINDOW).window.fits(ask.prompt) for ask in asks)
    assert answer.did_not_fit == ()


def test_pages_and_quotes_are_numbered_as_in_the_given_memory(whole: GistMemory, merged: GistMemory) -> None:
    for memory in (whole, merged):
        answer, _ = asked(memory)
        (number,) = answer.pages
        assert "w9000 " in memory.page_text(number).lower()
        assert [quote.page for quote in answer.quotes] == [number]
        assert LONG.text[answer.quotes[0].start : answer.quotes[0].end] == answer.quotes[0].text


def test_text_after_the_reading_position_is_not_shown(merged: GistMemory) -> None:
    session = make_session(wanting("w3000"), PAGES, WINDOW)
    end = LONG.text.lower().index("w6000 ")
    run(ask(merged, WHERE, session, up_to=end))
    assert session.model.asks  # type: ignore[attr-defined]
    assert not any(re.search(r"w6\d\d\d\b", ask.prompt.lower()) for ask in session.model.asks)  # type: ignore[attr-defined]


@pytest.mark.parametrize("look_up", ["sequential", "parallel"])
def test_every_look_up_mode_chooses_parts_first(whole: GistMemory, look_up: str) -> None:
    _, asks = asked(run(fit(whole, make_session(plan=PAGES, window=WINDOW))), look_up=look_up)
    first, second = [ask for ask in asks if ask.step == "look_up"][:2]
    assert first.material.memory is not None
    assert second.material.memory is not None
    assert len(second.material.memory.pages) > len(first.material.memory.pages)


def levels(memory: GistMemory) -> list[GistMemory]:
    return [memory, *(levels(memory.finer) if memory.finer is not None else [])]


def going(parts: list[str], *, found: Sequence[str] = ()) -> object:
    """A model that chooses these parts, one reply after another, and answers only if such words are shown."""
    left = list(parts)

    def answer(ask: Ask) -> str:
        if ask.step == "look_up":
            assert ask.choice is not None
            if ask.choice.label == "Parts":
                return left.pop(0) if left else f"Parts: {ask.choice.values[0]}"
            return "Pages: none"
        if ask.step == "respond":
            return "It is there." if all(word in ask.prompt.lower() for word in found) else "NOT IN THE TEXT"
        return sensible(ask)

    return answer


def went(merged: GistMemory, model: object, **plan: object) -> tuple[Answer, list[Ask]]:
    session = make_session(model, replace(PAGES, check=False, **plan), WINDOW)  # type: ignore[arg-type]
    return run(ask(merged, WHERE, session)), session.model.asks  # type: ignore[attr-defined]


def pages_below(merged: GistMemory, part: int) -> list[Page]:
    return [page for page, _ in below(merged, part)]


def test_another_part_is_looked_into_if_the_answer_is_not_in_the_first(merged: GistMemory) -> None:
    word = LONG.text[merged.whole.gists[0].words and pages_below(merged, 4)[1].start :].split()[0].lower()
    model = going(["Parts: 1", "Parts: 4"], found=[f"{word} "])
    answer, asks = went(merged, model)
    assert answer.found_in_text
    assert [ask.step for ask in asks] == ["look_up", "look_up", "respond"] * 2
    assert "already, and the answer was not there: Part 1." in asks[3].prompt
    assert asks[3].choice is not None
    assert "1" not in asks[3].choice.values
    assert answer.trace.steps() == {"look_up": 4, "respond": 2}


def test_an_answer_says_what_was_looked_at_and_opened_in_both_rounds(merged: GistMemory) -> None:
    parts = ["Parts: 1", "Parts: 4"]
    model = going(parts, found=["nothing like this"])
    views: list[GistMemory] = []

    def opening(ask: Ask) -> str:
        if ask.step == "look_up" and ask.choice is not None and ask.choice.label != "Parts":
            assert ask.material.memory is not None
            views.append(ask.material.memory)
            first = pages_below(merged, [1, 4][len(views) - 1])[0]
            number = next(page.number for page in views[-1].pages if page.start == first.start)
            return f"Pages: {number}"
        return model(ask)  # type: ignore[operator, no-any-return]

    session = make_session(opening, replace(PAGES, check=False), WINDOW)
    answer = run(ask(merged, WHERE, session, as_in=merged.whole))
    inside = [pages_below(merged, part) for part in (1, 4)]
    starts = [page.start for page in merged.whole.pages]
    assert answer.pages == tuple(starts.index(pages[0].start) for pages in inside)
    shown = sum(map(len, inside))
    assert answer.searched == Searched(shown, len(merged.whole.pages), 2, len(merged.pages))


def test_every_prompt_of_a_question_fits_and_is_filled(merged: GistMemory) -> None:
    _, asks = asked(merged)
    window = make_session(window=WINDOW).window
    assert window.prompt is not None
    for one in asks:
        assert 0.85 * window.prompt <= window.count(one.prompt) <= window.prompt


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=4), st.sampled_from([1024, WINDOW, 4096, None]))
def test_a_split_view_is_a_valid_memory(parts: list[int], window: int | None) -> None:
    session = make_session(plan=PAGES, window=window)
    memory = run(fit(run(read(prose(300), make_session(plan=PAGES))), make_session(plan=PAGES, window=1024)))
    view = split_parts(memory, [part for part in parts if part < len(memory.pages)], session)
    assert "".join(map(view.page_text, range(len(view.pages)))) == memory.document.text
    assert [page.number for page in view.pages] == list(range(len(view.pages)))
    assert len(view.gists) == len(view.pages)
    known = {(page.start, page.end) for level in levels(memory) for page in level.pages}
    assert {(page.start, page.end) for page in view.pages} <= known
