"""How well a text fits a page: the terms that both have, weighted by how rare they are in the document.

A term is the beginning of a word, a number, or one or two characters of a script without spaces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from math import log

from readagent.core.patterns import lazy_pattern
from readagent.core.words import is_unspaced

_STRETCH = 300  # characters; terms are counted by stretches of this size
_CUT = 24  # characters of the next stretch that complete the last word
_STEM = 5  # letters that the forms of a word have in common
_SHORTEST, _SHORTEST_OTHER = 4, 3  # letters of a word, and of one that is not in Latin letters
_MOST_PLACES = 60  # stretches with a term, beyond which it says little about where a text is from
_RUN = lazy_pattern(r"\d+|[^\W\d_]+")


class _Unmarked(dict[int, int | None]):
    """Removes accents and vowel signs, which come and go; it learns each character when that is met first."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.category(chr(code)).startswith("M") else code
        return self[code]


_UNMARKED = _Unmarked()


@lru_cache(maxsize=64)  # a page is compared with several gists and lines
def terms(text: str) -> frozenset[str]:
    """Return the terms of a text."""
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).translate(_UNMARKED)
    return frozenset(term for run in set(_RUN.findall(text)) for term in _of_run(run))


def _of_run(run: str) -> Iterable[str]:
    if run.isdecimal():
        return (run,) if len(run) > 1 else ()
    if is_unspaced(run):
        return (*run, *(run[at : at + 2] for at in range(len(run) - 1)))
    return (run[:_STEM],) if len(run) >= (_SHORTEST if run < "\u0250" else _SHORTEST_OTHER) else ()


class DocumentTerms:
    """Where the terms of a document are, to tell which place a gist is from."""

    def __init__(self, text: str) -> None:
        self._places: dict[str, list[int]] = {}
        self._stretches = max(1, -(-len(text) // _STRETCH))
        for place in range(self._stretches):
            start = place * _STRETCH
            for term in terms(text[start : start + _STRETCH + _CUT]):
                self._places.setdefault(term, []).append(place)

    def weight(self, term: str) -> float:
        """Return how much a term says about where a text is from: 0 if it is everywhere."""
        return log((self._stretches + 1) / (len(self._places.get(term, ())) + 0.5))

    def share(self, own: frozenset[str], page: frozenset[str]) -> float:
        """Return the weight of the terms of a gist that its page has too, as a share of all; 1 if it has none."""
        weights = {term: max(0.0, self.weight(term)) for term in sorted(own)}
        total = sum(weights.values())
        return sum(weights[term] for term in weights if term in page) / total if total else 1.0

    def against(self, own: frozenset[str], page: frozenset[str], start: int, end: int) -> tuple[float, float]:
        """Return the weight of what a gist has in common with its page, and with the best other place of its size.

        The page is at these offsets. Terms that are in many places are left out.
        """
        first, last = start // _STRETCH, max(start, end - 1) // _STRETCH
        size, here = last - first + 1, 0.0
        elsewhere: dict[int, float] = {}
        for term in sorted(own):
            places = self._places.get(term, [])
            if not 0 < len(places) <= max(_MOST_PLACES, self._stretches // 50):
                continue
            weight = max(0.0, self.weight(term))
            here += weight if term in page else 0.0
            for begin in {begin for at in places for begin in range(at - size + 1, at + 1)}:
                if begin + size <= first or begin > last:
                    elsewhere[begin] = elsewhere.get(begin, 0.0) + weight
        return here, max(elsewhere.values(), default=0.0)


@lru_cache(maxsize=4)
def terms_of(text: str) -> DocumentTerms:
    """Return the terms of a document, which are counted once for a reading."""
    return DocumentTerms(text)
