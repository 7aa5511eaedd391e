"""Zoom: if merged pages are too long to be opened, the model first chooses some of them, and these are split again.

The chosen parts are shown as their original pages, each with its own gist, among the merged pages of the rest. That
view is a memory like any other, and pages are looked up in it as usual.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace

from readagent.core.asking.hints import cut_short
from readagent.core.asking.lookup import all_at_once
from readagent.core.asking.situation import Situation
from readagent.core.memory import GistMemory, Page
from readagent.core.question import Answer, Quote
from readagent.core.session import Session

_FAR = (None, 24, 12, 6, 2, 0)  # words kept of the gists of parts that were not chosen; tried in this order
_NEAR = (24, 12, 6)  # and then of the gists of the chosen part


async def zoom(situation: Situation, session: Session) -> GistMemory:
    """Return the memory to show for this question: the same one if most of its pages can be opened."""
    memory = situation.memory
    if memory.finer is None or session.plan.max_pages == 0 or session.plan.look_up == "none":
        return memory
    if _can_be_opened(memory, session):
        return memory
    parts = await all_at_once(situation, session, lambda _: True, session.plan.max_pages)
    return split_parts(memory, parts.pages, session)


def split_parts(memory: GistMemory, parts: Sequence[int], session: Session) -> GistMemory:
    """Return the memory with these merged pages split into their original pages, in this order, as many as fit."""
    view, chosen = memory, list[int]()
    for part in parts:
        split = _split(memory, {*chosen, part})
        if len(split.pages) == len(view.pages):
            continue
        shown = _with_room(split, memory, session, cut=not chosen)
        if shown is not None:
            view, chosen = shown, [*chosen, part]
    return view


def _split(memory: GistMemory, parts: Collection[int]) -> GistMemory:
    """Return the memory with the pages of its finer one in place of these parts."""
    assert memory.finer is not None
    fine = list(zip(memory.finer.pages, memory.finer.gists, strict=True))
    starts = [page.start for page, _ in fine]
    shown = []
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        within = fine[bisect_left(starts, page.start) : bisect_left(starts, page.end)]
        shown += within if page.number in parts and len(within) > 1 else [(page, gist)]
    pages = tuple(replace(page, number=number) for number, (page, _) in enumerate(shown))
    return replace(memory, pages=pages, gists=tuple(gist for _, gist in shown))


def _with_room(view: GistMemory, coarse: GistMemory, session: Session, *, cut: bool) -> GistMemory | None:
    """Return the view with gists cut so far that its longest original page can be opened; None if none fits.

    The gists of merged pages are cut first, and with ``cut`` those of the original pages too.
    """
    free = session.window.free
    if not free:
        return view
    merged = {(page.start, page.end) for page in coarse.pages}
    fine = {page.number for page in view.pages if (page.start, page.end) not in merged}
    room = free - session.window.count(max((view.page_text(number) for number in fine), key=len))
    tried = [(far, None) for far in _FAR] + [(0, near) for near in (_NEAR if cut else ())]
    views = (_shortened(view, fine, far, near) for far, near in tried)
    return next((shown for shown in views if session.window.count(shown.render()) <= room), None)


def _shortened(view: GistMemory, fine: Collection[int], far: int | None, near: int | None) -> GistMemory:
    """Return the view with gists of at most ``near`` words for the ``fine`` pages, and ``far`` words for the others."""
    words = ((near if number in fine else far) for number in range(len(view.pages)))
    gists = (gist if most is None else cut_short(gist, most) for gist, most in zip(view.gists, words, strict=True))
    return replace(view, gists=tuple(gists))


def _can_be_opened(memory: GistMemory, session: Session) -> bool:
    """Return whether pages with at least half of the text's words can each be opened together with the gists."""
    free = session.window.free
    if not free:
        return True
    room = free - session.window.count(memory.render())
    openable = [
        page for page in memory.pages if session.window.count(memory.page_text(page.number)[: 8 * free]) <= room
    ]
    return 2 * sum(page.words for page in openable) >= memory.full_words


def numbered_as(given: GistMemory, shown: GistMemory, answer: Answer) -> Answer:
    """Return the answer with the page numbers of ``given``, if the model was shown another memory."""
    if shown.pages == given.pages:
        return answer
    starts = [page.start for page in given.pages]

    def numbers(pages: Sequence[int]) -> tuple[int, ...]:
        found = [number for page in pages for number in _covered(given.pages, starts, shown.pages[page])]
        return tuple(dict.fromkeys(found))

    def placed(quote: Quote) -> Quote:
        return replace(quote, page=max(0, bisect_left(starts, quote.start + 1) - 1))

    return replace(
        answer,
        pages=numbers(answer.pages),
        did_not_fit=numbers(answer.did_not_fit),
        quotes=tuple(placed(quote) for quote in answer.quotes),
    )


def _covered(pages: Sequence[Page], starts: Sequence[int], shown: Page) -> range:
    """Return the numbers of the pages that overlap the page that was shown."""
    return range(max(0, bisect_left(starts, shown.start + 1) - 1), bisect_left(starts, shown.end))
