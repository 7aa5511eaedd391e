"""Hints: pages that a search without a model finds for a question, shown in addition to the memory.

If the gists are too long for the window, hints also decide which gists are shown in full before pages are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from readagent.core.fitting import largest
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Hint
from readagent.core.words import count_words, lead

_SHARE = 0.2  # of the best score that a page must have to be shown
_SHORTENED = (24, 12, 6)  # words kept of gists without a hint; tried in this order


def pages_to_show(
    hints: Sequence[Hint], most: int, opened: Collection[int] = (), *, share: float = _SHARE
) -> tuple[int, ...]:
    """Return the pages to show as hints, best first: not opened yet, and with a share of the best score."""
    least = share * max((hint.score for hint in hints), default=0.0)
    shown = [hint.page for hint in hints if hint.score > 0 and hint.score >= least and hint.page not in opened]
    return tuple(dict.fromkeys(shown))[: max(0, most)]


def shorten_gists(memory: GistMemory, hints: Sequence[Hint], fits: Callable[[GistMemory], bool]) -> GistMemory | None:
    """Return the memory with gists cut to their first words, except those of the best pages, as many as fit.

    Return None if it does not fit even then.
    """
    ranked = list(dict.fromkeys(hint.page for hint in hints if 0 <= hint.page < len(memory.pages)))
    for words in _SHORTENED:
        short = tuple(cut_short(gist, words) for gist in memory.gists)
        if fits(replace(memory, gists=short)):
            return _with_best_in_full(memory, short, ranked, fits)
    return None


def _with_best_in_full(
    memory: GistMemory, short: tuple[Gist, ...], ranked: Sequence[int], fits: Callable[[GistMemory], bool]
) -> GistMemory:
    """Return the memory with short gists, and full ones for the best pages, as many as fit."""
    count = largest(len(ranked), lambda count: fits(_in_full(memory, short, ranked[:count])))
    return _in_full(memory, short, ranked[:count])


def _in_full(memory: GistMemory, short: tuple[Gist, ...], pages: Collection[int]) -> GistMemory:
    """Return the memory with the full gists of these pages and the short ones of the others."""
    gists = (gist if number in pages else short[number] for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


def cut_short(gist: Gist, words: int) -> Gist:
    """Return the first sentences of a gist, at most ``words`` words, with an ellipsis if something is left out."""
    if gist.words <= words:
        return gist
    text = f"{lead(gist.text, words).rstrip('. ')} …" if words else "…"
    return Gist(text, count_words(text), gist.origin)
