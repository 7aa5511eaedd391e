"""Find the pages of a document. Its sections are read concurrently, in the plan's mode.

In two steps the model chooses each pause, as in the paper; the first window shows whether it can read in one pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from readagent.core.concurrency import FirstCalls, one_error, start_in, together
from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.form import Choice
from readagent.core.gists.check import COPY
from readagent.core.gists.rewrite import without_repeats
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, Page, Span
from readagent.core.model import Ask, Material, Reply
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.one_pass import (
    Piece,
    Windows,
    divided_evenly,
    is_asked,
    is_one_page,
    one_pass,
    runs,
    tried_window,
    window_room,
)
from readagent.core.pages.windows import Room, cut_windows, label_places
from readagent.core.plan import Mode, Plan
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.trace import Fallback, PageFound

_LABEL = "Break point"


async def pause_by_pause(
    text: PageBreaks,
    start: int,
    section: int,
    previous: str,
    session: Session,
    calls: FirstCalls,
    found: Callable[[Page], None],
) -> None:
    """Find the pages of one section, from ``start`` on; ``previous`` is the text of the page before, or ""."""
    while start < section:
        async with calls:
            end = await pause(text, start, section, previous, session)
        found(text.page(0, start, end))
        previous = text.document.text[start:end]
        start = end


async def pause(text: PageBreaks, start: int, section: int, previous: str, session: Session) -> int:
    """Return the offset where the page that begins at ``start`` ends; ``section`` is the end of its section."""
    places, ask_about = text.legal(start, section)
    if len(places) == 1 or not ask_about:
        return places[-1]
    pieces = text.pieces(start, places, section)
    labels = tuple(str(label) for label in range(1, len(places) + 1))
    passage = labelled(pieces, len(labels))
    choice = Choice(labels, label=_LABEL)
    prompt = _prompt(session, choice, passage, escape_tags(previous.strip()) if session.plan.show_previous else "")
    if prompt is None:
        session.fell_back(Fallback("paginate", "the passage does not fit the window", "the last label", at=start))
        return places[-1]
    ask = Ask("paginate", prompt, choice, Material(passages=tuple(pieces)))
    (label,) = await session.decide(ask, lambda: labels[-1:], at=start)
    return places[int(label) - 1]


def labelled(pieces: Sequence[str], count: int) -> str:
    """Return the pieces of a passage, each of the first ``count`` followed by its label: <1>, <2> and so on."""
    shown = [escape_tags(piece) for piece in pieces]
    passage = "".join(f"{piece}\n<{label}>\n" for label, piece in enumerate(shown[:count], start=1))
    return (passage + "".join(shown[count:])).strip()


def _prompt(session: Session, choice: Choice, passage: str, previous: str) -> str | None:
    """Return the prompt, without the previous page if that does not fit; None if nothing fits."""
    for context in dict.fromkeys((previous, "")):
        prompt = session.prompts.fill("paginate", form=choice, passage=passage, previous=context)
        if session.window.fits(prompt):
            return prompt
    return None


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
                gists[span] = start_in(tasks, _gist(session, page, document.text, pinned.get(span, gist), calls))

            found = await find_pages(
                document, session, each, after=after, pinned=pinned, growing=growing, windows=windows
            )
    pages = tuple(page for page in found if (page.start, page.end) in gists)
    session.trace.number_pages([page.start for page in (*after, *pages)])
    reasons = {fallback.page: fallback.reason for fallback in session.trace.fallbacks if fallback.step == "gist"}
    session.outage.check(list(reasons.values()), len(after) + len(pages))
    made = [gists[page.start, page.end].result() for page in pages]
    return pages, await without_repeats(document, pages, made, session)


async def _gist(session: Session, page: Page, document: str, known: Gist | None, calls: FirstCalls) -> Gist:
    """Return the gist of a page, and note whether the model made a usable one."""
    async with calls:
        gist = await gist_page(session, page, document[page.start : page.end], known=known, document=document)
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


TWO_STEPS = "two steps: where each page ends, then its gist"
_ENOUGH = 0.5  # share of the words of a window that must be on pages that can be used
_OF_THE_TEXT = ("refused", "filtered")  # ends of replies that say nothing about other texts


@dataclass(frozen=True, slots=True)
class Settled:
    """A session whose plan has the mode to read in, and the ``windows`` that were read to find that out."""

    session: Session
    windows: Windows = field(default_factory=dict)


def needs_two_steps(plan: Plan, prompts: Prompts) -> bool:
    """Return whether the plan or the prompts ask for something that one pass does not have.

    It asks for no pauses one by one, so it shows no previous page, and it does not use prompts for pages or gists.
    """
    return plan.pauses == "uniform" or plan.show_previous or not prompts.one_pass


async def settle(document: Document, session: Session, pinned: Collection[Span] = ()) -> Settled:
    """Return a session in the mode ``fast`` or ``paper``. A plan in the mode ``auto`` is tried in one pass first.

    If the first window has no page that can be used, that is recorded with the reason, and the whole text is read in
    two steps. Later readings begin with what was found, unless it is due to the text.
    """
    if session.plan.mode != "auto":
        return Settled(session)
    one_pass, two_steps = _in_mode(session, "fast"), _in_mode(session, "paper")
    if needs_two_steps(session.plan, session.prompts):
        return Settled(two_steps)
    text = PageBreaks(document, one_pass.plan, pinned)
    window = _first_window(text, one_pass)
    if window is None:
        return Settled(two_steps)
    async with session.modes.trying:
        if session.modes.found is not None:
            return Settled(one_pass if session.modes.found == "fast" else two_steps)
        problems: list[tuple[str, Reply, int]] = []
        pieces = await tried_window(text, *window, one_pass, lambda *problem: problems.append(problem))
        words, usable = text.index.count(*window), _usable_words(text, window[0], pieces)
        if usable >= _ENOUGH * words:
            session.modes.tried(usable=True)
            for problem, _, at in problems:
                session.fell_back(divided_evenly(problem, at))
            return Settled(one_pass, {window: pieces})
        if not any(reply.finish in _OF_THE_TEXT for _, reply, _ in problems):
            session.modes.tried(usable=False)
        few = f"{usable:,} of {words:,} words were on pages that can be used"
        session.fell_back(Fallback("mode", problems[0][0] if problems else few, TWO_STEPS))
        return Settled(two_steps)


def _in_mode(session: Session, mode: Mode) -> Session:
    return replace(session, plan=replace(session.plan, mode=mode))


def _first_window(text: PageBreaks, session: Session) -> Span | None:
    """Return the first window that the model is asked about in one pass; None if there is none, or no room for it."""
    room = window_room(text, session)
    if room is None:
        return None
    for start, end in runs(list(pairwise([0, *text.sections])), text.pinned):
        if not is_one_page(text, start, end):
            for window in cut_windows(text, start, end, room):
                if is_asked(text, *window, label_places(text, *window)[0]):
                    return window
    return None


def _usable_words(text: PageBreaks, start: int, pieces: list[Piece]) -> int:
    """Return how many words are on pages that have a gist and are not too long."""
    usable = 0
    for piece in pieces:
        words = text.index.count(start, piece.end)
        usable += words if piece.gist and words <= text.plan.page_words else 0
        start = piece.end
    return usable
