"""Find quotes in a text: a quick index over blocks of it gives the places to look at, and letters decide."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

from readagent.core.patterns import lazy_pattern
from readagent.core.quotes.letters import FOOTNOTE, Letters, fold, letters_of
from readagent.core.quotes.matching import GAP, Span, in_order, matches, pieces
from readagent.core.words import count_words, is_unspaced

LEAST_WORDS = 3
_LEAST_CHARACTERS = 5  # of a script without spaces
_SHORT = 6  # words; a shorter quote must not be in many places
_MANY = 4
_BLOCK = 400  # characters of a block of the index
_LONGEST_WORD = 50
_AROUND = 80  # characters around a place that are looked at with it
_SUPERSCRIPTS = lazy_pattern("[⁰¹²³⁴-⁹⁺⁻™®©℠]")
_SPACE = lazy_pattern(r"\s")
_NOT_WORD = lazy_pattern(r"[\W_]+")
_BRACKETED = lazy_pattern(r"\[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quote is: ``text[start:end]``; ``exact`` if it is there character for character.

    ``spans`` are the parts of the text that the quote has: one, or several if it has ellipses or editorial brackets.
    """

    start: int
    end: int
    exact: bool
    spans: tuple[Span, ...]


class Quotable:
    """A text to find quotes in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._blocks: dict[int, str] = {}
        self._letters: dict[tuple[int, int, bool], Letters] = {}

    def find(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Return where the quote is between these offsets, or None, also if it is too short to prove anything."""
        found = None if count_words(quote) < LEAST_WORDS else self.locate(quote, start, end)
        return None if found is None or self._is_little(quote, found) else found

    def locate(self, quote: str, start: int = 0, end: int | None = None) -> Found | None:
        """Return where the quote is between these offsets, whether or not it proves anything, or None."""
        return next(self._places(quote, start, end), None)

    def says_too_little(self, quote: str) -> bool:
        """Return whether the quote is in the text, but too short to prove anything."""
        found = self.locate(quote)
        return found is not None and (count_words(quote) < LEAST_WORDS or self._is_little(quote, found))

    def _is_little(self, quote: str, found: Found) -> bool:
        """Return whether the quote is only a few words that stand in many places of the text."""
        words, letters = count_words(quote), sum(map(str.isalnum, quote))
        if words < LEAST_WORDS or (is_unspaced(quote) and letters < _LEAST_CHARACTERS):
            return True
        if words >= _SHORT or any(one.isdecimal() for one in quote):
            return False
        return len(list(islice(self._places(quote, 0, None), _MANY))) == _MANY

    def _places(self, quote: str, start: int, end: int | None) -> Iterator[Found]:
        """Yield where the quote is: exact places first, then those that are otherwise the same, then pieces in order.

        A number in brackets may be left out, because it may be that of a footnote.
        """
        quote, last = quote.strip(), len(self.text) if end is None else end
        parts = pieces(quote)
        if not parts:
            return
        seen: set[Span] = set()
        at = self.text.find(quote, start, last)
        while at >= 0:
            copy = at, at + len(quote)
            for span in matches(self._near(*copy), letters_of(quote)):
                if copy[0] <= span[0] and span[1] <= copy[1] and span not in seen:
                    seen.add(span)
                    yield Found(*copy, exact=True, spans=(copy,))
            at = self.text.find(quote, at + 1, last)
        whole = parts[0] if len(parts) == 1 else quote
        for near in self._candidates(whole, start, last):
            for span in matches(near, letters_of(whole, notes=near.notes)):
                if start <= span[0] and span[1] <= last and span not in seen:
                    seen.add(span)
                    yield Found(*span, exact=False, spans=(span,))
        anchor = max(range(len(parts)), key=lambda at: count_words(parts[at]))
        if len(parts) == 1 or count_words(parts[anchor]) < LEAST_WORDS:
            return
        room = sum(map(len, parts)) * 2 + GAP * (len(parts) - 1)
        for near in self._candidates(parts[anchor], start, last, room):
            for spans in in_order(near, [letters_of(part, notes=near.notes) for part in parts], anchor):
                if start <= spans[0][0] and spans[-1][1] <= last:
                    yield Found(spans[0][0], spans[-1][1], exact=False, spans=tuple(spans))

    def _candidates(self, quote: str, start: int, last: int, room: int = 0) -> Iterator[Letters]:
        """Yield the letters of each part of the text that has those of the quote, with ``room`` around it."""
        wanted = _index_form(quote)
        if not wanted:
            return
        low, high = max(0, start // _BLOCK - 1), max(start, last - 1) // _BLOCK
        forms = [self._form(number) for number in range(low, high + 1)]
        begins = list(accumulate(map(len, forms), initial=0))
        index = "".join(forms)
        at, seen = index.find(wanted), (-1, -1)
        while at >= 0:
            blocks = bisect_right(begins, at) - 1, bisect_right(begins, at + len(wanted) - 1) - 1
            if blocks != seen:
                place = self._edge(low + blocks[0]) - room, self._edge(low + blocks[1] + 1) + room
                yield self._near(*place)
                if not _BRACKETED.search(quote) and _BRACKETED.search(self.text, max(0, place[0]), place[1]):
                    yield self._near(*place, notes=False)
                seen = blocks
            at = index.find(wanted, at + 1)

    def _form(self, number: int) -> str:
        if number not in self._blocks:
            self._blocks[number] = _index_form(self.text[self._edge(number) : self._edge(number + 1)])
        return self._blocks[number]

    def _edge(self, number: int) -> int:
        """Return where a block begins: not inside a word, if it is not very long, nor before an accent."""
        at = number * _BLOCK
        if number == 0 or at >= len(self.text):
            return min(at, len(self.text))
        if space := _SPACE.search(self.text, at, at + _LONGEST_WORD):
            return space.start()
        while at < len(self.text) and unicodedata.combining(self.text[at]):
            at += 1
        return at

    def _near(self, start: int, end: int, *, notes: bool = True) -> Letters:
        key = max(0, start - _AROUND), min(len(self.text), end + _AROUND), notes
        if key not in self._letters:
            if len(self._letters) > 200:
                self._letters.clear()
            self._letters[key] = letters_of(self.text, *key[:2], notes=notes)
        return self._letters[key]


def _index_form(text: str) -> str:
    """Return the letters and digits of a text in a form in which all that may be a quote's is the same."""
    if "[" in text:
        text = FOOTNOTE.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _SUPERSCRIPTS.sub("", text))
    return _NOT_WORD.sub("", fold(text))
