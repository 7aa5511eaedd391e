"""Find the pages of a document. Its sections are read concurrently, in the plan's mode.

Headings and pinned pages begin sections. No page crosses into another section, so sections do not depend on each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from readagent.core.concurrency import one_error, start_in, together
from readagent.core.document import Document
from readagent.core.events import PageFound
from readagent.core.gists.check import COPY
from readagent.core.gists.pinning import Span
from readagent.core.gists.repeats import without_repeats
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, Page
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.first_calls import FirstCalls
from readagent.core.pages.one_pass import Windows, one_pass, runs, window_room
from readagent.core.pages.pauses import pause_by_pause
from readagent.core.pages.windows import Room
from readagent.core.session import Session
from readagent.core.trace import Fallback

Each = Callable[[Page, Gist | None], None]


async def read_pages(
    document: Document,
    session: Session,
    *,
    after: Sequence[Page] = (),
    pinned: Mapping[Span, Gist] | None = None,
    growing: bool = False,
    leave_last: bool = False,
    windows: Windows | None = None,
) -> tuple[tuple[Page, ...], tuple[Gist, ...]]:
    """Return the pages of a document and their gists. The gist of a page is requested as soon as its end is known.

    ``after`` are the first pages, if known; the pages after them are returned. ``pinned`` pages keep their extent and
    their gist. With ``leave_last`` the page at the end of the text is left out. ``windows`` were read already.
    """
    pinned = pinned or {}
    session.outage.usable = session.outage.usable or bool(after)
    gists: dict[Span, asyncio.Task[Gist]] = {}
    calls = FirstCalls(session.outage)
    with one_error():
        async with asyncio.TaskGroup() as tasks:

            def each(page: Page, gist: Gist | None) -> None:
                if leave_last and page.end == len(document.text):
                    return
                span = page.start, page.end
                text, known = document.text[page.start : page.end], pinned.get(span, gist)
                gists[span] = start_in(tasks, _gist(session, page, text, known, calls))

            found = await find_pages(
                document, session, each, after=after, pinned=pinned, growing=growing, windows=windows
            )
    pages = tuple(page for page in found if (page.start, page.end) in gists)
    session.trace.number_pages([page.start for page in (*after, *pages)])
    reasons = {fallback.page: fallback.reason for fallback in session.trace.fallbacks if fallback.step == "gist"}
    session.outage.check(list(reasons.values()), len(after) + len(pages))
    made = [gists[page.start, page.end].result() for page in pages]
    return pages, await without_repeats(document, pages, made, session)


async def _gist(session: Session, page: Page, text: str, known: Gist | None, calls: FirstCalls) -> Gist:
    """Return the gist of a page, and note whether the model made a usable one."""
    async with calls:
        gist = await gist_page(session, page, text, known=known)
    if gist.origin == "model":
        session.outage.gist_made("")
    elif gist.origin == "lead" and known is None:
        reasons = (
            one.reason for one in reversed(session.trace.fallbacks) if (one.step, one.at) == ("gist", page.start)
        )
        problem = next(reasons, "")
        session.outage.gist_made("" if problem == COPY else problem)  # a model that copies works
    return gist


async def find_pages(
    document: Document,
    session: Session,
    each: Each = lambda page, gist: None,
    *,
    after: Sequence[Page] = (),
    pinned: Collection[Span] = (),
    growing: bool = False,
    windows: Windows | None = None,
) -> list[Page]:
    """Return the pages of a document, in order, from the end of ``after`` on. They tile its text.

    ``each`` is called with every page as soon as it is known, and with its gist if the model returned both. At that
    time pages are numbered in the order in which they are found. While a text is ``growing``, the rest of it is not cut
    as long as it fits a page, so that a pause is chosen with the whole page in view. ``windows`` are those that were
    read in one pass already.
    """
    text = PageBreaks(document, session.plan, pinned, growing)
    start = after[-1].end if after else 0
    words = text.index.count(0, start)
    pages: list[Page] = []

    def found(page: Page, gist: Gist | None = None) -> None:
        nonlocal words
        words += page.words
        number = len(after) + len(pages)
        pages.append(page)
        each(replace(page, number=number), gist)
        session.emit(PageFound(number, words, page.start, page.end))

    if session.plan.pauses == "uniform":
        for page in text.uniform(start):
            found(page)
    else:
        await _read_sections(text, session, found, after, windows or {})
    pages.sort(key=lambda page: page.start)
    return [replace(page, number=number) for number, page in enumerate(pages, start=len(after))]


async def _read_sections(
    text: PageBreaks, session: Session, found: Each, after: Sequence[Page], windows: Windows
) -> None:
    """Find the pages of all sections after these pages."""
    start = after[-1].end if after else 0
    sections = list(pairwise([start, *(end for end in text.sections if end > start)]))
    room, calls = _room(text, session), FirstCalls(session.outage)
    if room is not None:
        stretches = runs(sections, text.pinned)
        await together(one_pass(text, begin, end, room, session, calls, found, windows) for begin, end in stretches)
        return

    async def section(begin: int, end: int) -> None:
        same_section = after and begin == start and start not in text.sections
        previous = text.document.text[after[-1].start : start] if same_section else ""
        await pause_by_pause(text, begin, end, previous, session, calls, lambda page: found(page, None))

    await together(section(begin, end) for begin, end in sections)


def _room(text: PageBreaks, session: Session) -> Room | None:
    """Return the words per call in one pass, or None if the text is read pause by pause."""
    if session.plan.mode != "fast":
        return None
    room = window_room(text, session)
    if room is None:
        session.fell_back(Fallback("read", "the window takes hardly more than a page", "pause by pause"))
    return room
