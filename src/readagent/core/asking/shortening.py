"""Cut gists where a prompt would be too long, and keep those in full that matter most for the question."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from readagent.core.fitting import largest
from readagent.core.memory import Gist, GistMemory
from readagent.core.words import count_words, lead

_SHORTENED = (24, 12, 6)  # words kept of gists that are not in full; tried in this order
_SHORTEST = (*_SHORTENED, 2, 0)  # if pages are opened in their place
_PARTS = 4  # how much shorter than gists the entries of parts are


def shorten_gists(memory: GistMemory, ranked: Iterable[int], fits: Callable[[GistMemory], bool]) -> GistMemory | None:
    """Return the memory with gists cut to their first words, except those of the first ``ranked``, as many as fit.

    Return None if it does not fit even then.
    """
    order = list(dict.fromkeys(page for page in ranked if 0 <= page < len(memory.pages)))
    for words in _SHORTENED:
        short = tuple(cut_short(gist, words) for gist in memory.gists)
        if fits(replace(memory, gists=short)):
            count = largest(len(order), lambda count: fits(_in_full(memory, short, order[:count])))  # noqa: B023
            return _in_full(memory, short, order[:count])
    return None


def save_tokens(
    memory: GistMemory, ranked: Sequence[int], tokens: int, count: Callable[[str], int], *, evenly: bool = False
) -> GistMemory | None:
    """Return the memory with so many ``ranked`` gists cut that at least ``tokens`` are saved, the last ones first.

    With ``evenly``, all of them are first cut to the greatest length that saves enough. Gists that are not ranked stay
    as they are. Return None if so much cannot be saved.
    """
    full = {number: count(memory.gists[number].text) for number in ranked}

    def all_cut(cut: Callable[[Gist], Gist]) -> dict[int, Gist]:
        return {number: cut(memory.gists[number]) for number in full}

    def spared(short: dict[int, Gist]) -> int:
        return sum(full[number] - count(gist.text) for number, gist in short.items()) - tokens

    cuts: list[Callable[[Gist], Gist]] = [partial(_entry, words=words) for words in _SHORTEST]
    if evenly:
        longest = max((memory.gists[number].words for number in full), default=0)
        words = largest(longest, lambda words: spared(all_cut(partial(cut_short, words=words))) >= 0)
        cuts.insert(0, partial(cut_short, words=max(words, _SHORTENED[0])))
    for cut in cuts:
        short = all_cut(cut)
        if (spare := spared(short)) < 0:
            continue
        for number, size in full.items():  # in full again, as long as enough is saved
            if (saved := size - count(short[number].text)) <= spare:
                spare -= saved
                del short[number]
        return replace(memory, gists=tuple(short.get(number, gist) for number, gist in enumerate(memory.gists)))
    return None


def _entry(gist: Gist, words: int) -> Gist:
    """Return a gist cut to so many words, or the entry of a part, which the model has seen before, to a quarter."""
    return cut_short(gist, words // _PARTS if gist.origin == "part" else words)


def _in_full(memory: GistMemory, short: tuple[Gist, ...], pages: Collection[int]) -> GistMemory:
    """Return the memory with the full gists of these pages and the short ones of the others."""
    kept = set(pages)
    gists = (gist if number in kept else short[number] for number, gist in enumerate(memory.gists))
    return replace(memory, gists=tuple(gists))


@lru_cache(2048)  # the gists of one memory are cut again for each prompt, and for each set of opened pages
def cut_short(gist: Gist, words: int) -> Gist:
    """Return the first sentences of a gist, at most ``words`` words, with an ellipsis if something is left out."""
    if gist.words <= words:
        return gist
    text = f"{lead(gist.text, words).rstrip('. ')} …" if words else "…"
    return Gist(text, count_words(text), gist.origin)
