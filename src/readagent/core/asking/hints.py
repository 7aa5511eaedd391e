"""Hints: the pages that a search without a model finds for a question, shown beside the memory and never instead of it.

Where the gists are too long for the window, hints also say which of them are shown whole before any pages are merged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from readagent.core.memory import Gist, GistMemory
from readagent.core.question import Question
from readagent.core.words import count_words, lead

_SHARE = 0.2  # of the best page's score that a page must have to be told beside it
_SHORTENED = (24, 12, 6)  # words left of a gist that no hint speaks for, tried one after the other


@dataclass(frozen=True, slots=True)
class Hint:
    """A page, and how strongly it seems to bear on the question; nothing at 0."""

    page: int
    score: float


@runtime_checkable
class Hinter(Protocol):
    """Anything that finds pages. It is given no more of the text than may be known, as a memory of that much."""

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        """Pages, the strongest first."""
        ...


def worth_telling(
    hints: Sequence[Hint], most: int, opened: Collection[int] = (), *, share: float = _SHARE
) -> tuple[int, ...]:
    """The pages that are told as hints, the strongest first: not open yet, and with a share of the best one's score."""
    least = share * max((hint.score for hint in hints), default=0.0)
    told = [hint.page for hint in hints if hint.score > 0 and hint.score >= least and hint.page not in opened]
    return tuple(dict.fromkeys(told))[: max(0, most)]


def narrowed(memory: GistMemory, hints: Sequence[Hint], fits: Callable[[GistMemory], bool]) -> GistMemory | None:
    """The memory with gists cut to their beginnings, those of the strongest pages kept whole as long as they fit.

    None where it does not fit even so.
    """
    ranked = list(dict.fromkeys(hint.page for hint in hints if 0 <= hint.page < len(memory.pages)))
    for words in _SHORTENED:
        short = tuple(cut_short(gist, words) for gist in memory.gists)
        if fits(replace(memory, gists=short)):
            counts = range(1, len(ranked) + 1)
            whole = bisect_left(counts, True, key=lambda count: not fits(_whole(memory, short, ranked[:count])))
            return _whole(memory, short, ranked[:whole])
    return None


def _whole(memory: GistMemory, short: tuple[Gist, ...], pages: Collection[int]) -> GistMemory:
    """The memory with the gists of these pages whole, and the others short."""
    gists = (gist if number in pages else short[number] for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


def cut_short(gist: Gist, words: int) -> Gist:
    """A gist's first sentences up to so many words, with an ellipsis where something is left out."""
    if gist.words <= words:
        return gist
    text = f"{lead(gist.text, words).rstrip('. ')} …" if words else "…"
    return Gist(text, count_words(text), gist.origin)
