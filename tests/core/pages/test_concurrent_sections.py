"""Sections are read concurrently, gists are requested early, and what comes too late leaves nothing behind."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from readagent.core.concurrency import one_error, start_in
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Event, GistDone, PageFound
from readagent.core.words import Paragraph
from readagent.errors import ReadAgentError
from sessions import SMALL, make_session, prose, run, sensible


def chapters(count: int, paragraphs: int) -> Document:
    """Return chapters with a title and paragraphs of 15 words."""
    pieces, found, at = [], [], 0
    for number in range(count):
        for i in range(paragraphs + 1):
            body = " ".join(f"c{number}p{i}w{j}" for j in range(15)) + "." if i else f"Title{number}"
            pieces.append(body + "\n\n")
            found.append(Paragraph(len(found), at, at + len(pieces[-1]), 0 if i else 1))
            at += len(pieces[-1])
    return Document("".join(pieces), tuple(found))


CHAPTERS = chapters(4, 12)


class Later:
    """A model that waits until all concurrent asks have arrived, and then replies to the last ones first."""

    name = "later"

    def __init__(self) -> None:
        self.at_once = 0
        self.prompts: list[str] = []
        self._under_way = 0

    async def complete(self, ask: Ask) -> Reply:
        self.prompts.append(ask.prompt)
        self._under_way += 1
        self.at_once = max(self.at_once, self._under_way)
        for _ in range(3 * (10 - self._under_way % 7)):
            await asyncio.sleep(0)
        self._under_way -= 1
        return Reply(sensible(ask))


def test_sections_are_read_concurrently() -> None:
    model = Later()
    run(read(CHAPTERS, Session(model, Prompts.load(), replace(SMALL, page_words=60))))
    assert model.at_once > 2


def test_fallbacks_have_the_final_page_numbers() -> None:
    def refusing(ask: Ask) -> str:
        return "no idea" if "Title3" in ask.prompt and ask.step == "paginate" else sensible(ask)

    memory = run(read(CHAPTERS, make_session(refusing)))
    (third,) = (page.number for page in memory.pages if "Title3" in memory.page_text(page.number))
    assert {fallback.page for fallback in memory.trace.fallbacks} == {third}


def test_gists_are_requested_before_all_pages_are_found() -> None:
    events: list[Event] = []
    session = replace(make_session(), emit=events.append)
    run(read(prose(100), session))
    kinds = [type(event) for event in events if isinstance(event, PageFound | GistDone)]
    assert kinds.index(GistDone) < len(kinds) - 1 - kinds[::-1].index(PageFound)
    told = [event for event in events if isinstance(event, PageFound)]
    assert [event.number for event in told] == list(range(len(told)))
    assert told[-1].words == prose(100).words


def test_an_error_in_one_section_ends_the_reading_with_that_error() -> None:
    def failing(ask: Ask) -> str:
        if "Title3" in ask.prompt:
            raise ValueError("broken")
        return sensible(ask)

    with pytest.raises(ValueError, match="broken"):
        run(read(CHAPTERS, make_session(failing)))


def test_a_task_that_comes_too_late_leaves_nothing_behind() -> None:
    """A page is found after the gist of another one failed: "never awaited" would be a failure here."""

    async def fail() -> None:
        raise ReadAgentError("the server is gone")

    async def late() -> None:
        raise AssertionError("it must not run")

    async def group() -> None:
        with one_error():
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(fail())
                try:
                    await asyncio.Event().wait()
                finally:
                    start_in(tasks, late())

    with pytest.raises(ReadAgentError, match="the server is gone"):
        asyncio.run(group())
