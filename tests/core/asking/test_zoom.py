"""A small window and a long text: parts are chosen first, then pages in them; page numbers stay the same."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.asking.zoom import split_parts
from readagent.core.gists.merge import fit
from readagent.core.memory import GistMemory
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
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
            return f"I want to look up Page [{max(i for i, start in enumerate(starts) if start <= at)}] to see."
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


@pytest.mark.parametrize("look_up", ["sequential", "auto"])
def test_every_look_up_mode_chooses_parts_first(whole: GistMemory, look_up: str) -> None:
    _, asks = asked(run(fit(whole, make_session(plan=PAGES, window=WINDOW))), look_up=look_up)
    first, second = [ask for ask in asks if ask.step == "look_up"][:2]
    assert first.material.memory is not None
    assert second.material.memory is not None
    assert len(second.material.memory.pages) > len(first.material.memory.pages)


def test_no_parts_are_chosen_if_merged_pages_can_be_opened() -> None:
    text = prose(100)
    plan = Plan(page_words=60, min_page_words=20, max_pages=1)
    memory = run(fit(run(read(text, make_session(plan=plan))), make_session(plan=plan, window=4200)))
    assert memory.finer is not None
    session = make_session(plan=plan, window=4200)
    run(ask(memory, WHERE, session))
    assert [ask.step for ask in session.model.asks] == ["look_up", "respond"]  # type: ignore[attr-defined]


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
    assert memory.finer is not None
    known = {(page.start, page.end) for page in (*memory.pages, *memory.finer.pages)}
    assert {(page.start, page.end) for page in view.pages} <= known
