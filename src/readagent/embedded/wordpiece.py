"""WordPiece: the uncased vocabulary of BERT models, from its ``vocab.txt``."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_LONGEST_WORD = 100
_CJK = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f])")


class WordPiece:
    """Turns text into the numbers of its word pieces, between ``[CLS]`` and ``[SEP]``."""

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text("utf-8").splitlines()
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._unknown, self._first, self._last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._word = lru_cache(maxsize=50_000)(self._split)

    def encode(self, text: str, most: int) -> list[int]:
        """At most ``most`` numbers; what is longer is cut at its end."""
        numbers = [self._first]
        for run in _CJK.sub(r" \1 ", _plain(text[: most * _LONGEST_WORD])).split():
            for word in [run] if run.isalnum() else _unpunctuated(run):
                numbers += self._word(word)
            if len(numbers) >= most:
                break
        return [*numbers[: most - 1], self._last]

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest pieces first; a word with a part that has no piece is unknown as a whole."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        numbers: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(("##" if start else "") + word[start:end])
                if number is not None:
                    numbers.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(numbers)


def _plain(text: str) -> str:
    """Lower case, without accents and without characters that cannot be seen."""
    if text.isascii() and text.isprintable():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(
        " " if letter.isspace() else letter
        for letter in decomposed
        if letter.isspace() or unicodedata.category(letter) not in ("Mn", "Cc", "Cf")
    )


def _unpunctuated(run: str) -> list[str]:
    """A run without spaces in words, every punctuation mark being one; all of ASCII but letters and digits is."""
    words: list[str] = []
    joins = False
    for letter in run:
        mark = (letter.isascii() and not letter.isalnum()) or unicodedata.category(letter).startswith("P")
        if joins and not mark:
            words[-1] += letter
        else:
            words.append(letter)
        joins = not mark
    return words
