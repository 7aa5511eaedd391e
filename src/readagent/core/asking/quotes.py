"""Quotes: finding in a text what somebody says stands in it, exactly or but for white space, marks and line breaks.

Nothing else is forgiven: a quote with a word changed, left out or put in is not in the text. An ellipsis stands for
what was left out, so what is on both sides of it must stand in the text, in that order and not far apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.core.words import count_words

LEAST_WORDS = 3  # a quote of fewer words shows nothing
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…|(?:\. ){2,}\.)\s*")
_FURTHEST = 2000  # characters that an ellipsis may stand for
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
    """Where a quote stands: ``text[start:end]``, and whether it stands there to the letter."""

    start: int
    end: int
    exact: bool


class Quotable:
    """A text in which quotes are looked for. What is not to the letter is looked for in a plain form of it.

    Of a long text that takes a while to make, so it is made only of the parts that are asked for, and kept.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts: dict[tuple[int, int], Plain] = {}

    def find(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Where the quote stands between these offsets; None if it does not, or is too short to show anything."""
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
    """A text in plain form, and where in the text itself each of its characters stands."""

    text: str
    origins: Sequence[int]

    def find(self, pieces: Sequence[str]) -> Found | None:
        """The pieces one after the other, each near the one before."""
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
        """Where a piece stands, whole words only."""
        at = self.text.find(piece, low, high)
        while at >= 0:
            if _bounded(self.text, at, at + len(piece)):
                yield at
            at = self.text.find(piece, at + 1, high)


def _bounded(text: str, start: int, end: int) -> bool:
    """Whether no word is cut at either end."""
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return not before and not after


def _plain(text: str, start: int, end: int) -> Plain:
    """This part of a text with one form for each kind of mark and single spaces.

    A hyphen at the end of a line goes with the line break, spaces beside a dash go, and there is no upper case.
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
