"""Pages: where they may end, what the model is shown, useless replies, and sections that no page crosses."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.asking.position import cut
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from readagent.core.pages.growing import closed_pages, extend, grow, is_full
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.words import Paragraph, count_words
from readagent.errors import UsageError
from sessions import SMALL, make_session, pausing, prose, run

pytestmark = pytest.mark.anyio


def pages(document: Document, session: Session) -> list[Page]:
    """Return the pages of a document as ``read`` finds them."""
    return list(run(read(document, session)).pages)


def first_ask(session: Session) -> Ask:
    return session.model.asks[0]  # type: ignore[attr-defined,no-any-return]


def test_labels_are_between_paragraphs_after_min_page_words() -> None:
    session = make_session()
    pages(prose(10), session)
    passage = re.search(r"<passage>\n(.*)\n</passage>", first_ask(session).prompt, re.S)
    assert passage is not None
    shape = [line if line.startswith("<") else "text" for line in passage[1].split("\n") if line]
    assert shape == ["text", "text", "<1>", "text", "<2>", "text", "<3>"]


def test_the_page_ends_at_the_label_named() -> None:
    made = pages(prose(10), make_session(pausing("Break point: <1>", "<2>", "Let me see...\n**Break point: <3>**")))
    assert [page.words for page in made] == [30, 45, 60, 15]


def test_a_long_paragraph_is_cut_at_a_sentence() -> None:
    text = " ".join(f"S{i} a b c d e f g h i." for i in range(30))
    made = pages(Document.from_text(text), make_session())
    assert all(20 <= page.words <= 60 for page in made[:-1])
    assert all(text[page.end - 2] == "." for page in made[:-1])


def test_a_short_rest_is_the_last_page_without_a_call() -> None:
    session = make_session(pausing("Break point: <3>"))
    assert [page.words for page in pages(prose(5), session)] == [60, 15]


Part = tuple[int, int]  # a heading's level, or 0 for running text; words


def text_of(parts: list[Part], *, lines: bool = False, place: str = "") -> Document:
    """Return a document of one-word headings and of paragraphs with this many words, in sentences of ten."""
    pieces, paragraphs, at = [], [], 0
    for index, (level, words) in enumerate(parts):
        ends = "\n" if lines else ". "
        body = (
            f"Title{index}" if level else "".join(f"w{i}{ends if i % 10 == 9 else ' '}" for i in range(words)).strip()
        )
        pieces.append(body + "\n\n")
        paragraphs.append(Paragraph(index, at, at + len(pieces[-1]), level, place, lines))
        at += len(pieces[-1])
    return Document("".join(pieces), tuple(paragraphs))


def sizes(parts: list[Part], session: Session | None = None) -> list[int]:
    return [page.words for page in pages(text_of(parts), session or make_session())]


def test_a_chapter_that_fits_a_page_is_one_page_without_a_call() -> None:
    assert sizes([(1, 0), (0, 40), (1, 0), (0, 50), (1, 0), (0, 30)], make_session(pausing())) == [41, 51, 31]


def test_a_chapter_that_is_too_short_joins_the_next_one() -> None:
    assert sizes([(1, 0), (0, 30), (1, 0), (0, 5), (1, 0), (0, 30)]) == [31, 37]


def test_a_long_chapter_is_paginated_separately_without_a_short_rest() -> None:
    """The model pauses as late as it can, which would leave a rest of eleven words."""
    document = text_of([(1, 0), *[(0, 10)] * 7, (1, 0), (0, 40)])
    made = pages(document, make_session(lambda ask: f"<{ask.choice.values[-1]}>" if ask.choice else "gist"))
    assert [page.words for page in made] == [51, 20, 41]


def test_code_is_cut_between_lines() -> None:
    document = text_of([(0, 200)], lines=True)
    assert all(document.text[page.end - 1] == "\n" for page in pages(document, make_session()))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 90)), min_size=1, max_size=25))
def test_no_page_crosses_a_chapter_or_is_too_long(parts: list[Part]) -> None:
    document = text_of(parts)
    made = pages(document, make_session())
    assert "".join(document.text[page.start : page.end] for page in made) == document.text
    assert all(0 < page.words <= SMALL.page_words for page in made)
    chapters = [p for p in document.paragraphs if p.heading == min((n for n, _ in parts if n), default=0) > 0]
    for before, chapter in zip((0, *(one.start for one in chapters)), chapters, strict=False):
        if not any(page.start == chapter.start for page in made):
            assert count_words(document.text[before : chapter.start]) < SMALL.min_page_words


LONG = prose(40)


def tiles(memory: GistMemory) -> bool:
    return "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text


def beginning(paragraphs: int, document: Document = LONG) -> Document:
    return cut(document, document.paragraphs[paragraphs].start)


async def test_growing_in_pieces_gives_the_pages_of_one_reading() -> None:
    at_once = await read(LONG, make_session())
    memory = GistMemory(cut(LONG, 0), (), (), SMALL, "scripted", "p")
    for one in range(1, len(LONG.paragraphs)):
        memory = await grow(memory, beginning(one), make_session(), live=True)
    known = closed_pages(memory)
    assert len(known) >= len(at_once.pages) - 2
    assert known == at_once.pages[: len(known)]
    assert memory.gists[: len(known)] == at_once.gists[: len(known)]


async def test_live_text_is_read_once_it_fills_a_page() -> None:
    before, session = await read(beginning(21), make_session()), make_session()
    waiting = await grow(before, beginning(23), session, live=True)
    assert not session.model.asks  # type: ignore[attr-defined]
    assert waiting.gists[-1] == Gist(waiting.page_text(-1).strip(), waiting.pages[-1].words, "verbatim")
    assert tiles(waiting)
    assert waiting == extend(before, beginning(23))
    full = await grow(waiting, LONG, session, live=True)
    assert tiles(full)
    assert [one.origin for one in full.gists[:-1]] == ["model"] * (len(full.pages) - 1)
    assert full.gists[-1].origin == "verbatim"


async def test_sections_that_begin_later_begin_pages() -> None:
    heading = Document("Part two", (Paragraph(0, 0, 8, heading=1),))
    before = await read(prose(8), make_session())
    whole = before.document.appended(heading).appended(prose(6))
    after = await grow(before, whole, make_session(), live=True)
    start = before.document.appended(heading).paragraphs[-1].start
    assert start in [page.start for page in after.pages]
    assert not is_full(after)
    assert is_full(extend(before, whole))


async def test_a_pinned_last_page_stays() -> None:
    before = await read(beginning(22), make_session())
    own = replace(before, gists=(*before.gists[:-1], Gist("My own words", 3, "user")))
    after = await grow(own, LONG, make_session())
    assert after.pages[: len(own.pages)] == own.pages
    assert after.gists[len(own.pages) - 1].text == "My own words"
    span = (before.pages[-1].start, before.pages[-1].end)
    again = await grow(before, LONG, make_session(), pinned={span: before.gists[-1]})
    assert again.pages[: len(before.pages)] == before.pages


async def test_a_text_that_changed_elsewhere_is_refused() -> None:
    before = await read(beginning(8), make_session())
    with pytest.raises(UsageError, match="does not begin with"):
        await grow(before, prose(9, words=12), make_session())
