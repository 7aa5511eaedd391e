"""Growing texts: closed pages never change, only new text is read, and pages are those of a single reading."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.core.asking.position import cut
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory
from readagent.core.pages.growing import closed_pages, extend, grow, is_full
from readagent.core.reading import read
from readagent.core.words import Paragraph
from readagent.errors import UsageError
from sessions import SMALL, make_session, prose

pytestmark = pytest.mark.anyio

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
