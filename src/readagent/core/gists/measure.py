"""Measure lengths in words, or in characters where words say little about a length, as in tables and dumps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from readagent.core.patterns import lazy_pattern
from readagent.core.words import count_words, is_unspaced, stretches

_REMEMBERED = 20_000  # characters; the lengths of shorter texts are remembered for a while
_UNSPACED = lazy_pattern("Chinese|Japanese", re.I)
_PER_WORD = 1.7  # characters of Chinese or Japanese that say as much as a word
LONG_WORD = 12  # characters; a text whose words are longer on average counts as having one word for so many


def length_in_words(text: str) -> int:
    """Return the words of a text, or as many as long words would fill its length if its own are even longer."""
    return max(count_words(text), _characters(text) // LONG_WORD)


@dataclass(frozen=True, slots=True)
class Measure:
    """The unit for the lengths of a passage and its gist. A word has this many characters, or 0 if words are counted.

    All lengths are in words, so that they can be compared; ``told`` names them as a model can understand them.
    """

    characters: int = 0

    @classmethod
    def of(cls, passage: str) -> Measure:
        """Return the measure for a passage: characters if it has long words, or no spaces between its words."""
        words = count_words(passage)
        if _characters(passage) > LONG_WORD * max(1, words):
            return cls(LONG_WORD)
        return cls(1) if is_unspaced(passage) and words > 3 * len(passage.split()) else cls()

    @classmethod
    def of_gist(cls, passage: str, language: str) -> Measure:
        """Return the measure for a gist of a passage in this language, or in that of the passage if it is empty."""
        own = cls.of(passage)
        if exchange(passage, language) == 1:
            return own
        return cls() if own.characters == 1 else cls(1)

    def length(self, text: str) -> int:
        """Return the length of a text in words."""
        return -(-_characters(text) // LONG_WORD) if self.characters == LONG_WORD else length_in_words(text)

    def told(self, words: int) -> str:
        """Return a length as a model is told it, for example "90 words" or "1080 characters"; "" for 0."""
        if not words:
            return ""
        return f"{words * self.characters} characters" if self.characters else f"{words} words"


def exchange(passage: str, language: str) -> float:
    """Return how many words a gist in a language has for each that one in the language of the passage has.

    In languages that are written without spaces, a character counts as a word.
    """
    unspaced = bool(_UNSPACED.search(language))
    if not language or unspaced == (Measure.of(passage).characters == 1):
        return 1
    return _PER_WORD if unspaced else 1 / _PER_WORD


def _characters(text: str) -> int:
    """Return the characters of a text that are no white space."""
    return _counted(text) if len(text) < _REMEMBERED else _count(text)


def _count(text: str) -> int:
    return sum(len("".join(piece.split())) for piece in stretches(text))


_counted = lru_cache(maxsize=64)(_count)  # a page and its gist are measured several times in a row
