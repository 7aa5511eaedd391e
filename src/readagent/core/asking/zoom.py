"""Zoom: views of a memory tree in which chosen parts are replaced by what is below them.

A view is a memory like any other, and pages are looked up in it as usual: the pages of the chosen parts with their own
gists, the pages that a search finds, and the other parts as they are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.question import Lookup, Quote
from readagent.core.session import Session

_TAG_TOKENS = 8  # tokens of a part whose entry is cut
_REST = Gist("…", 1, "part")

Entry = tuple[Page, Gist]


def below(memory: GistMemory, number: int) -> list[Entry]:
    """Return what a part consists of: the entries of the next level that divides it; empty for a page."""
    page, level = memory.pages[number], memory.finer
    while level is not None:
        first = bisect_left(level.pages, page.start, key=lambda one: one.start)
        last = bisect_left(level.pages, page.end, key=lambda one: one.start)
        if last - first > 1:
            return list(zip(level.pages[first:last], level.gists[first:last], strict=True))
        level = level.finer
    return []


def is_part(memory: GistMemory, number: int) -> bool:
    """Return whether this is a part with several pages."""
    return bool(below(memory, number))


def split_parts(memory: GistMemory, parts: Sequence[int], session: Session) -> GistMemory:
    """Return the memory with these parts split, in this order, as many as fit, and at least the first."""
    room, chosen, size = session.window.index, dict[int, list[Entry]](), 0
    for part in dict.fromkeys(parts):
        inside = below(memory, part)
        size += session.window.count("\n\n".join(gist.text for _, gist in inside)) + _TAG_TOKENS * len(inside)
        others = _TAG_TOKENS * (len(memory.pages) - len(chosen) - 1)
        if inside and (not chosen or not room or size + others <= room):
            chosen[part] = inside
    entries = zip(memory.pages, memory.gists, strict=True)
    return _view(memory, [one for entry in entries for one in chosen.get(entry[0].number, [entry])])


def with_pages(memory: GistMemory, numbers: Sequence[int]) -> GistMemory:
    """Return the memory with these pages of the whole memory standing alone; the rest of their parts is shown short."""
    whole = memory.whole
    wanted = sorted({number for number in numbers if 0 <= number < len(whole.pages)})
    entries = list[Entry]()
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        inside = [n for n in wanted if page.start <= whole.pages[n].start < page.end]
        entries += _around(whole, page, gist, inside) if inside and is_part(memory, page.number) else [(page, gist)]
    return _view(memory, entries)


def _around(whole: GistMemory, part: Page, gist: Gist, inside: Sequence[int]) -> Iterator[Entry]:
    """Yield the pages inside a part, and what is before, between and after them; the first of these has its entry."""
    at, rest = part.start, gist
    for number in (*inside, None):
        end = part.end if number is None else whole.pages[number].start
        if end > at:
            first = bisect_right(whole.pages, at, key=lambda one: one.start) - 1
            last = bisect_left(whole.pages, end, key=lambda one: one.start)
            yield Page(0, at, end, sum(page.words for page in whole.pages[first:last])), rest
            rest = _REST
        if number is not None:
            yield whole.pages[number], whole.gists[number]
            at = whole.pages[number].end


def _view(memory: GistMemory, entries: Sequence[Entry]) -> GistMemory:
    pages = tuple(replace(page, number=number) for number, (page, _) in enumerate(entries))
    return replace(memory, pages=pages, gists=tuple(gist for _, gist in entries))


def looked_up_in(given: GistMemory, views: Sequence[tuple[GistMemory, Lookup]]) -> Lookup:
    """Return the pages that were opened in all views, and the others of a look-up, with the numbers of ``given``."""
    starts = [page.start for page in given.pages]

    def numbers(shown: GistMemory, pages: Sequence[int]) -> Iterator[int]:
        for page in pages:
            yield from [page] if shown.pages == given.pages else _covered(given.pages, starts, shown.pages[page])

    opened = dict.fromkeys(number for view, lookup in views for number in numbers(view, lookup.pages))
    others = dict.fromkeys(number for view, lookup in views for number in numbers(view, lookup.did_not_fit))
    shared = dict.fromkeys(number for view, lookup in views for number in numbers(view, lookup.shared))
    return Lookup(tuple(opened), tuple(others), tuple(shared))


def quoted_in(given: GistMemory, shown: GistMemory, quotes: Sequence[Quote]) -> tuple[Quote, ...]:
    """Return the quotes with the page numbers of ``given``, if the model was shown another memory."""
    if shown.pages == given.pages:
        return tuple(quotes)
    starts = [page.start for page in given.pages]
    return tuple(replace(quote, page=max(0, bisect_left(starts, quote.start + 1) - 1)) for quote in quotes)


def _covered(pages: Sequence[Page], starts: Sequence[int], shown: Page) -> range:
    """Return the numbers of the pages that overlap the page that was shown."""
    return range(max(0, bisect_left(starts, shown.start + 1) - 1), bisect_left(starts, shown.end))
