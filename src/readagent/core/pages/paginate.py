"""The pages of a document: its sections are gone through side by side, as the plan's mode says.

Headings and fixed pages make sections: no page runs into one, so what is found in one does not depend on the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from readagent.core.concurrency import one_error, together
from readagent.core.document import Document
from readagent.core.events import Paged
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, Page
from readagent.core.pages.chains import chained
from readagent.core.pages.one_pass import one_pass, window_words
from readagent.core.pages.pausing import Pausing
from readagent.core.session import Session
from readagent.core.trace import Fallback

Each = Callable[[Page, Gist | None], None]
_SIDE_BY_SIDE = 256  # sections at most, so that the prompts that wait for their turn stay few


async def paginate(
    document: Document,
    session: Session,
    *,
    after: Sequence[Page] = (),
    fixed: Collection[tuple[int, int]] = (),
    growing: bool = False,
) -> AsyncIterator[Page]:
    """The pages of a document, in order. They tile its text.

    ``after`` are the first pages where they are known: those behind them come. What is ``fixed`` is a page as it is.
    Of a text that is ``growing`` the rest is not cut while it fits a page, so that pauses are chosen with all in view.
    """
    found: list[Page] = []
    await find_pages(
        Pausing(document, session.plan, fixed, growing), session, lambda page, gist: found.append(page), after
    )
    for number, page in enumerate(sorted(found, key=lambda page: page.start), start=len(after)):
        yield replace(page, number=number)


async def read_pages(
    document: Document,
    session: Session,
    *,
    after: Sequence[Page] = (),
    fixed: Mapping[tuple[int, int], Gist] | None = None,
    growing: bool = False,
) -> tuple[tuple[Page, ...], tuple[Gist, ...]]:
    """The pages as ``paginate`` has them, and their gists, each begun the moment its page is known.

    What is ``fixed`` keeps the gist it has.
    """
    fixed = fixed or {}
    found: list[tuple[Page, asyncio.Task[Gist]]] = []
    with one_error():
        async with asyncio.TaskGroup() as tasks:

            def each(page: Page, gist: Gist | None) -> None:
                text, known = document.text[page.start : page.end], fixed.get((page.start, page.end), gist)
                found.append((page, tasks.create_task(gist_page(session, page, text, fixed=known))))

            await find_pages(Pausing(document, session.plan, fixed, growing), session, each, after)
    found.sort(key=lambda one: one[0].start)
    session.trace.number_pages([*(page.start for page in after), *(page.start for page, _ in found)])
    pages = (replace(page, number=number) for number, (page, _) in enumerate(found, start=len(after)))
    return tuple(pages), tuple(gist.result() for _, gist in found)


async def find_pages(text: Pausing, session: Session, each: Each, after: Sequence[Page] = ()) -> None:
    """Find the pages, and call ``each`` with one, and its gist where it came along, the moment it is known.

    They are numbered in the order in which they are found, which is that of the text only within a section.
    """
    number, start = len(after), after[-1].end if after else 0
    words = text.index.count(0, start)

    def found(page: Page, gist: Gist | None = None) -> None:
        nonlocal number, words
        words += page.words
        each(replace(page, number=number), gist)
        session.tell(Paged(number, words))
        number += 1

    if session.plan.pauses == "uniform":
        for page in text.uniform(start):
            found(page)
        return
    room = _room(text, session)
    free = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def section(begin: int, end: int) -> None:
        async with free:
            if room is not None:
                await one_pass(text, begin, end, room, session, found)
            else:
                going_on = after and begin == start and start not in text.sections
                known = text.document.text[after[-1].start : start] if going_on else ""
                await chained(text, begin, end, known, session, found)

    bounds = [start, *(end for end in text.sections if end > start)]
    await together(section(begin, end) for begin, end in pairwise(bounds))


def _room(text: Pausing, session: Session) -> int | None:
    """The words that one pass takes at once; None where the text is to be read pause by pause."""
    if session.plan.mode == "paper":
        return None
    words = window_words(text, session)
    if words < 2 * session.plan.page_words:
        session.fell_back(Fallback("read", "the window takes less than two pages at once", "pause by pause"))
        return None
    return words
