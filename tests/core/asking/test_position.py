"""Reading positions: nothing after the position is in any prompt or answer."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.core.asking.position import position
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Ask, Hint
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question, Turn
from readagent.core.reading import ask
from readagent.core.words import Paragraph
from readagent.errors import UsageError
from readagent.retrieval.hints import WordHinter
from sessions import make_session, read_and_fit, run, sensible

PLAN = Plan(page_words=40, min_page_words=10)


def numbered(words: int = 400) -> Document:
    """The words w0 to w399 in sentences of ten and paragraphs of twenty, in four chapters."""
    pieces: list[tuple[str, int]] = []
    for first in range(0, words, 20):
        if first % 100 == 0:
            pieces.append((f"Chapter {first // 100 + 1}", 1))
        halves = (" ".join(f"w{i}" for i in range(first + half, first + half + 10)) for half in (0, 10))
        pieces.append((" ".join(f"W{half[1:]}." for half in halves), 0))
    text, paragraphs = "", []
    for index, (piece, level) in enumerate(pieces):
        paragraphs.append(Paragraph(index, len(text), len(text) + len(piece) + 2, level))
        text += piece + "\n\n"
    return Document(text, tuple(paragraphs))


def make_memory(document: Document | None = None) -> GistMemory:
    return run(read_and_fit(document or numbered(), make_session(plan=PLAN)))


@pytest.mark.parametrize(
    ("given", "last"),
    [("25%", None), ("Chapter 2", "w199."), ("chapter 4", "w399."), ("Chapter 2, par. 1", "w119."),
     ("W110 w111 w112 w113", "w113"), ('"w385 w386 w387."', "w387")],
)  # fmt: skip
def test_positions_in_many_forms(given: int | str, last: str | None) -> None:
    memory = make_memory()
    seen = memory.document.text[: position(memory, given)].split()
    if last is not None:
        assert seen[-1] == last
    else:
        assert len(seen) == round(0.25 * len(memory.document.text.split()))


def test_a_page_is_read_to_its_end() -> None:
    memory = make_memory()
    assert position(memory, 0) == memory.pages[0].end
    assert position(memory, "page 2") == position(memory, "2") == position(memory, 1) == memory.pages[1].end


@pytest.mark.parametrize("given", ["chapter 9", "0%", "no such sentence here"])
def test_an_invalid_position_is_refused_with_one_line(given: int | str) -> None:
    with pytest.raises(UsageError) as error:
        position(make_memory(), given)
    assert error.value.hint


class Snoop:
    """A hinter that stores what it is shown and points to pages that may not exist."""

    def __init__(self) -> None:
        self.by_words = WordHinter()
        self.shown: list[GistMemory] = []

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        self.shown.append(memory)
        return await self.by_words.hints(memory, question)


def everything_seen(
    memory: GistMemory, offset: int, look_up: str, window: int | None, snoop: Snoop
) -> tuple[Answer, list[Ask]]:
    plan = Plan(page_words=40, min_page_words=10, look_up=look_up, max_pages=4)  # type: ignore[arg-type]
    session = replace(make_session(_curious, plan, window), hinter=snoop)
    history = [Turn("Earlier?", "w5 it was.", 60), Turn("Later?", "w399 it was."), Turn("Then?", "w300", offset + 1)]
    answer = run(ask(memory, Question("What of it?"), session, history, offset))
    return answer, session.model.asks  # type: ignore[attr-defined]


def _curious(one: Ask) -> str:
    """Opens pages up to the last ones, asks about the end, and quotes text after the position."""
    if one.step == "direct" and not one.material.opened:
        return "Pages: 2, 3, 1"
    if one.step == "look_up":
        assert one.choice is not None
        return (
            f"Pages: {', '.join(one.choice.values[-4:])}"
            if not one.choice.single
            else f"Page {one.choice.values[-2:][0]}"
        )
    return 'It is so.\nPage 9: "w396 w397 w398 w399"' if one.step in ("respond", "direct") else sensible(one)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(3, 2000), st.sampled_from(["parallel", "sequential", "direct"]), st.sampled_from([None, 900]))
def test_nothing_after_the_position_is_in_any_prompt(offset: int, look_up: str, window: int | None) -> None:
    memory = make_memory()
    offset = min(offset, len(memory.document.text))
    known, hidden = (
        set(re.findall(r"w\d+", part.lower()))
        for part in (memory.document.text[:offset], memory.document.text[offset:])
    )
    hidden -= known
    snoop = Snoop()
    answer, asks = everything_seen(memory, offset, look_up, window, snoop)
    assert asks
    assert snoop.shown
    for shown in snoop.shown:
        assert shown.document.text == memory.document.text[:offset]
        assert not hidden & set(re.findall(r"w\d+", shown.render().lower()))
    for one in asks:
        assert not hidden & set(re.findall(r"w\d+", one.prompt.lower()))
        if one.material.memory is not None:
            assert one.material.memory.document.text == memory.document.text[:offset]
        assert not any(hidden & set(re.findall(r"w\d+", passage.lower())) for passage in one.material.passages)
    assert all(quote.end <= offset for quote in answer.quotes)
    assert answer.up_to == offset
    if offset < memory.document.text.index("w396"):
        assert answer.false_quotes == 1
        assert not answer.verified


def test_only_the_page_across_the_position_gets_a_new_gist() -> None:
    memory = make_memory()
    session = make_session()
    offset = memory.pages[2].start + 30
    run(ask(memory, Question("Who?"), session, (), offset))
    gisted = [one for one in session.model.asks if one.step == "gist"]  # type: ignore[attr-defined]
    assert len(gisted) <= 1  # a short rest is its own gist
    shown = session.model.asks[-1].material.memory  # type: ignore[attr-defined]
    assert shown.gists[:2] == memory.gists[:2]
    assert (len(shown.pages), shown.pages[2].end) == (3, offset)


def test_a_gist_that_the_user_wrote_is_shown_as_it_is_before_the_position() -> None:
    memory = make_memory()
    written = Gist("Ann left, as we learn at the end.", 8, "user")
    session = make_session()
    run(ask(replace(memory, gists=(written, *memory.gists[1:])), Question("Who?"), session, (), memory.pages[1].end))
    assert written.text in session.model.asks[0].prompt  # type: ignore[attr-defined]
