"""Hints: the pages that a search without a model finds for a question, shown beside the memory and never instead of it.

Where the gists are too long for the window, hints also say which of them are shown whole before any pages are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from readagent.core.fitting import largest
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Hint
from readagent.core.words import count_words, lead

_SHARE = 0.2  # of the best page's score that a page must have to be told beside it
_SHORTENED = (24, 12, 6)  # words left of a gist that no hint speaks for, tried one after the other


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
            return _with_strongest(memory, short, ranked, fits)
    return None


def _with_strongest(
    memory: GistMemory, short: tuple[Gist, ...], ranked: Sequence[int], fits: Callable[[GistMemory], bool]
) -> GistMemory:
    """The memory with short gists, but those of as many of the strongest pages whole as fit."""
    count = largest(len(ranked), lambda count: fits(_whole(memory, short, ranked[:count])))
    return _whole(memory, short, ranked[:count])


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
