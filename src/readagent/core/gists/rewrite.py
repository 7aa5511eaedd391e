"""Write gists again: older ones shorter, or with a note from the user, or where pages share one or have none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping, Sequence
from dataclasses import replace

from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.gists.page_terms import terms
from readagent.core.gists.parts import gist_lengths
from readagent.core.gists.shorten import Earlier, Place, gist_page, gist_prompt, shorten, split_to_fit
from readagent.core.gists.sizes import Measure
from readagent.core.memory import Gist, GistMemory, Page, Span, page_of
from readagent.core.plan import Plan
from readagent.core.session import Session
from readagent.core.trace import Fallback, GistDone, Improving, Trace
from readagent.core.words import count_words, lead
from readagent.errors import UsageError

Levels = MutableMapping[tuple[int, int], Gist]  # shorter gists, by page number and maximum words
_NEVER_SHORTENED = ("user", "verbatim")


def age(number: int, count: int, recent: int) -> int:
    """Return the stretch of a page, of ``count`` pages: 0 for the newest, 1 for those before them, and so on.

    It grows with the number of pages, and no page is in an older stretch than a page before it.
    """
    stretch = 0
    while number < _begin(stretch, count, recent):
        stretch += 1
    return stretch


def _begin(stretch: int, count: int, recent: int) -> int:
    """Return the first page of a stretch, which advances by the stretch's own length."""
    size = recent << stretch
    return max(0, (count - (2 * size - recent)) // size * size)


def words_at(gist: Gist, stretch: int, floor: int) -> int:
    """Return the maximum words of a gist in a stretch."""
    if gist.origin in _NEVER_SHORTENED:
        return gist.words
    return min(gist.words, max(1, floor, gist.words >> stretch))


def limits(memory: GistMemory, plan: Plan) -> dict[int, int]:
    """Return the maximum words for the gist of each page that is too long for its age."""
    found = {}
    for page, gist in zip(memory.pages, memory.gists, strict=True):
        words = words_at(gist, age(page.number, len(memory.pages), plan.recent), plan.floor_words)
        if words < gist.words:
            found[page.number] = words
    return found


async def shorten_older(memory: GistMemory, session: Session, levels: Levels | None = None) -> GistMemory:
    """Return the memory with its older gists shortened as the plan says; the given memory is its ``finer``.

    ``levels`` holds the shorter gists made before, and those made now are added to it. A memory that was made from a
    finer one is returned unchanged.
    """
    if not session.plan.recent or memory.finer is not None:
        return memory
    known = {} if levels is None else levels
    wanted = limits(memory, session.plan)
    missing = [(number, words) for number, words in wanted.items() if (number, words) not in known]
    made = await together(
        gist_page(session, memory.pages[number], memory.page_text(number), limit=words, document=memory.document.text)
        for number, words in missing
    )
    known.update(zip(missing, made, strict=True))
    if not wanted:
        return memory
    gists = list(memory.gists)
    for number, words in wanted.items():
        gists[number] = min(known[number, words], gists[number], key=lambda gist: gist.words)
    return replace(memory, gists=tuple(gists), finer=memory)


_KEPT = "the gist as it was"
_LEAST = 10  # minimum words for the gist of a part, or of a merged page, whose gist must not grow


async def improve(memory: GistMemory, numbers: Sequence[int], session: Session, note: str = "") -> dict[int, Gist]:
    """Return new gists of these pages, by page number; ``note`` tells the model what matters.

    A page is left out if the model returned nothing usable, and the reason is recorded.
    """
    chosen = sorted({page_of(memory, number).number for number in numbers})
    session.emit(Improving(len(chosen)))
    made = await together(_improve(memory, number, session, note) for number in chosen)
    return {number: gist for number, gist in zip(chosen, made, strict=True) if gist is not None}


async def _improve(memory: GistMemory, number: int, session: Session, note: str) -> Gist | None:
    """Return a new gist of one page, made of parts if the page is too long for the window; None if it is useless."""
    text, gist = memory.page_text(number).strip(), memory.gists[number]
    merged = memory.window is not None and not session.plan.gist_words
    limit = max(_LEAST, Measure.of(text).length(gist.text)) if merged else None
    earlier = _earlier(session, gist, limit, note.strip())
    pieces, words, made, problem = split_to_fit(session, text, limit, earlier), count_words(text), list[str](), ""
    page = memory.pages[number]
    place = Place(memory.document.text, page.start, page.end)
    for piece in pieces:
        share = None if limit is None else max(_LEAST, limit * count_words(piece) // max(1, words))
        shortened, problem = await shorten(session, piece, share, earlier, place=place)
        if problem:
            break
        made.append(shortened)
    whole = " ".join(made)
    if not problem and whole == gist.text.strip():
        problem = "it was the same gist again"
    session.emit(GistDone(number))
    if problem:
        session.fell_back(Fallback("gist", problem, _KEPT, number))
        return None
    return Gist(whole, count_words(whole))


def _earlier(session: Session, gist: Gist, limit: int | None, note: str) -> Earlier:
    """Return what to show of the gist and the note: as much of the gist as leaves half of the prompt free."""
    words = gist.words
    half = None if session.window.prompt is None else session.window.prompt // 2
    while True:
        earlier = Earlier(gist.text if words >= gist.words else lead(gist.text, words), note)
        if half is None or session.window.count(gist_prompt(session, "", limit, earlier)) <= half:
            return earlier
        if words <= 1:
            raise UsageError(
                f"the note is too long for a window of {session.window.tokens} tokens", hint="shorten the note"
            )
        words = words * 3 // 4


_ALIKE = 0.5  # share of the terms of two pages that both have, from which the pages may have the same gist


async def without_repeats(
    document: Document, pages: Sequence[Page], gists: Sequence[Gist], session: Session
) -> tuple[Gist, ...]:
    """Return the gists, with new ones for pages that have the gist of an earlier page, or leads if these fail too."""
    texts = [document.text[page.start : page.end] for page in pages]
    again = repeats(texts, gists)
    made = await together(
        gist_page(session, pages[i], texts[i], unlike=gists[i].text, document=document.text) for i in again
    )
    better = dict(zip(again, made, strict=True))
    return tuple(better.get(number, gist) for number, gist in enumerate(gists))


def repeats(texts: Sequence[str], gists: Sequence[Gist]) -> list[int]:
    """Return the positions of gists that a model wrote for an earlier page too; pages that are alike may share one."""
    first: dict[frozenset[str], str] = {}
    found = []
    for number, (text, gist) in enumerate(zip(texts, gists, strict=True)):
        own = terms(gist.text) if gist.origin == "model" else None
        if not own:
            continue
        other = first.setdefault(own, text)
        if other is not text and not _are_alike(terms(other), terms(text)):
            found.append(number)
    return found


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


async def retry(memory: GistMemory, session: Session, pinned: Collection[Span] = ()) -> dict[int, Gist]:
    """Return a gist for each page that has none, by page number; it is a lead again if the model still fails."""
    pages = [memory.pages[number] for number in memory.leads if _span(memory, number) not in pinned]
    if not pages:
        return {}
    session.outage.usable = True  # all other pages were read
    session.emit(Improving(len(pages)))
    merged = memory.window is not None  # such a memory must fit
    share = sum(gist_lengths(memory)) / max(1, memory.full_words)

    def limit(page: Page) -> int | None:
        return max(1, round(share * page.words)) if merged else None

    made = await together(
        gist_page(session, page, memory.page_text(page.number), limit=limit(page), document=memory.document.text)
        for page in pages
    )
    return {page.number: gist for page, gist in zip(pages, made, strict=True)}


def with_retried(memory: GistMemory, made: Mapping[int, Gist], trace: Trace) -> GistMemory:
    """Return the memory with these gists, the calls of a trace, and the reasons for the pages that still have none."""
    gists = tuple(made.get(number, gist) for number, gist in enumerate(memory.gists))
    kept = [fallback for fallback in memory.trace.fallbacks if fallback.step != "gist" or fallback.page not in made]
    fallbacks = [*kept, *(replace(fallback, at=None) for fallback in trace.fallbacks)]
    return replace(memory, gists=gists, trace=Trace(trace.keep_text, trace.calls, fallbacks))


def _span(memory: GistMemory, number: int) -> Span:
    return memory.pages[number].start, memory.pages[number].end
