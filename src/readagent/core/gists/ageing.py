"""Ageing: recent pages keep their gists, older ones get shorter gists, never below a minimum.

The newest ``recent`` pages keep their gists. The pages before them are divided into stretches, each twice as long as
the one after it, and with each older stretch a gist may have half the words. A shorter gist is always made from the raw
page, never from another gist. Stretches advance by their own length and not page by page, so that most of a memory
stays the same while it grows.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import replace

from readagent.core.concurrency import together
from readagent.core.gists.shorten import gist_page
from readagent.core.memory import Gist, GistMemory
from readagent.core.plan import Plan
from readagent.core.session import Session

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
        gist_page(session, memory.pages[number], memory.page_text(number), limit=words) for number, words in missing
    )
    known.update(zip(missing, made, strict=True))
    if not wanted:
        return memory
    gists = list(memory.gists)
    for number, words in wanted.items():
        gists[number] = min(known[number, words], gists[number], key=lambda gist: gist.words)
    return replace(memory, gists=tuple(gists), finer=memory)
