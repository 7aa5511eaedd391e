"""Hints: pages that a search without a model finds for a question, shown in addition to the memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence

from readagent.core.memory import GistMemory
from readagent.core.model import Hint, Hinter
from readagent.core.question import Question

_SHARE = 0.2  # of the best score that a page must have to be shown


def pages_to_show(
    hints: Sequence[Hint], most: int, opened: Collection[int] = (), *, share: float = _SHARE
) -> tuple[int, ...]:
    """Return the pages to show as hints, best first: not opened yet, and with a share of the best score."""
    least = share * max((hint.score for hint in hints), default=0.0)
    shown = [hint.page for hint in hints if hint.score > 0 and hint.score >= least and hint.page not in opened]
    return tuple(dict.fromkeys(shown))[: max(0, most)]


async def find_hints(memory: GistMemory, question: Question, hinter: Hinter | None) -> tuple[Hint, ...]:
    """Return the pages of a memory that a search finds, best first; nothing without a hinter.

    The search is always of the pages as they were read; a part is as good as the best page in it.
    """
    if hinter is None:
        return ()
    return as_seen_in(memory, await hinter.hints(memory.whole, question))


def as_seen_in(memory: GistMemory, hints: Sequence[Hint]) -> tuple[Hint, ...]:
    """Return hints to pages of the whole memory as hints to the pages and parts of this one that contain them."""
    whole = memory.whole
    if whole.pages == memory.pages:
        return tuple(hints)
    starts, found = [page.start for page in memory.pages], dict[int, Hint]()
    for hint in hints:
        if 0 <= hint.page < len(whole.pages):
            number = bisect_right(starts, whole.pages[hint.page].start) - 1
            found.setdefault(number, Hint(number, hint.score))
    return tuple(found.values())
