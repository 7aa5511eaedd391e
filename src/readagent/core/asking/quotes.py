"""Find quotes in a text. White space, quotation marks, dashes, case and line breaks may differ, but no word.

A quote with a word changed, left out or added is not in the text. An ellipsis stands for left-out text: the pieces
around it must be in the text, in that order and not far apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.core.words import count_words

LEAST_WORDS = 3  # a quote of fewer words proves nothing
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…|(?:\. ){2,}\.)\s*")
_FURTHEST = 2000  # maximum characters that an ellipsis stands for
_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`\u2039\u203a", "'"),
    **dict.fromkeys('\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02"', "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
}
_IGNORED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff*_")  # invisible, or marks of emphasis
_BROKEN = re.compile(r"(?<=\w)[-\u2010\u00ad][^\S\n]*\n\s*(?=\w)")
_ENDS = " '-.,;:!?()[]"


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote is: ``text[start:end]``; ``exact`` if it is there character for character."""

    start: int
    end: int
    exact: bool


class Quotable:
    """A text to find quotes in. Quotes that are not exact are searched for in a normalized form of the text.

    Normalizing a long text takes time, so only the parts that are searched are normalized, and kept.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts: dict[tuple[int, int], Plain] = {}

    def find(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Return where the quote is between these offsets, or None if it is not there or is too short."""
        quote = quote.strip()
        last = len(self.text) if end is None else end
        if count_words(quote) < LEAST_WORDS:
            return None
        at = self.text.find(quote, start, last)
        if at >= 0 and _bounded(self.text, at, at + len(quote)):
            return Found(at, at + len(quote), exact=True)
        pieces = [_plain(piece, 0, len(piece)).text.strip(_ENDS) for piece in _ELLIPSIS.split(quote)]
        pieces = [piece for piece in pieces if piece]
        if not pieces or sum(map(count_words, pieces)) < LEAST_WORDS:
            return None
        if (start, last) not in self._parts:
            self._parts[start, last] = _plain(self.text, start, last)
        return self._parts[start, last].find(pieces)


@dataclass(frozen=True, slots=True)
class Plain:
    """A normalized text, and the offset of each of its characters in the original."""

    text: str
    origins: Sequence[int]

    def find(self, pieces: Sequence[str]) -> Found | None:
        """Return where the pieces are, one after the other and each near the one before, or None."""
        for first in self._places(pieces[0], 0, len(self.text)):
            at = first + len(pieces[0])
            for piece in pieces[1:]:
                following = next(self._places(piece, at, at + _FURTHEST), None)
                if following is None:
                    break
                at = following + len(piece)
            else:
                return Found(self.origins[first], self.origins[at - 1] + 1, exact=False)
        return None

    def _places(self, piece: str, low: int, high: int) -> Iterator[int]:
        """Yield where a piece occurs as whole words."""
        at = self.text.find(piece, low, high)
        while at >= 0:
            if _bounded(self.text, at, at + len(piece)):
                yield at
            at = self.text.find(piece, at + 1, high)


def _bounded(text: str, start: int, end: int) -> bool:
    """Return whether the span begins and ends at word boundaries."""
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return not before and not after


def _plain(text: str, start: int, end: int) -> Plain:
    """Return this part of a text in lower case, with one form for each kind of mark and with single spaces.

    Hyphens at line ends are removed with the line break, and so are spaces next to dashes.
    """
    plain: list[str] = []
    origins: list[int] = []
    skip_to = start
    for at in range(start, end):
        character = text[at]
        if at < skip_to or character in _IGNORED:
            continue
        if character.isspace():
            if plain and plain[-1] not in " -":
                plain.append(" ")
                origins.append(at)
            continue
        if character in "-\u2010" and (broken := _BROKEN.match(text, at)):
            skip_to = broken.end()
            continue
        for one in _SAME.get(character) or unicodedata.normalize("NFKD", character).casefold():
            if one == "-" and plain and plain[-1] in " -":  # spaces around a dash, and dashes made of two hyphens
                plain[-1], origins[-1] = "-", at
                continue
            plain.append(one)
            origins.append(at)
    return Plain("".join(plain), origins)
