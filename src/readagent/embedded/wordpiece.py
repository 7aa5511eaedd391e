"""The uncased WordPiece tokenizer of BERT models, from a ``vocab.txt``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_LONGEST_WORD = 100
_RUN = re.compile(r"\S+")
_CJK = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f])")


class WordPiece:
    """Converts text to the ids of its word pieces; ``first`` and ``last`` are the ids of ``[CLS]`` and ``[SEP]``."""

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text("utf-8").splitlines()
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._unknown, self.first, self.last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._lengths = [len(piece.removeprefix("##")) for piece in pieces]
        self._word = lru_cache(maxsize=50_000)(self._split)

    def encode(self, text: str, most: int) -> list[int]:
        """Return at most ``most`` ids, between ``[CLS]`` and ``[SEP]``; a longer text is truncated."""
        numbers = [self.first]
        for run in _CJK.sub(r" \1 ", _normalize(text[: most * _LONGEST_WORD])).split():
            for word in [run] if run.isalnum() else _split_punctuation(run):
                numbers += self._word(word)
            if len(numbers) >= most:
                break
        return [*numbers[: most - 1], self.last]

    def pieces(self, text: str) -> list[tuple[int, int, int]]:
        """Return the id of each piece with its start and end in the text, without ``[CLS]`` and ``[SEP]``."""
        return [piece for run in _RUN.finditer(text) for piece in self._placed(run[0], run.start())]

    def _placed(self, run: str, offset: int) -> Iterator[tuple[int, int, int]]:
        """Yield the pieces of characters without a space between them, which begin at ``offset`` in the text."""
        if run.isascii():
            letters, places = run.lower(), list(range(len(run)))
        else:
            placed = [(letter, place) for place, original in enumerate(run) for letter in _normalize(original)]
            letters, places = "".join(letter for letter, _ in placed), [place for _, place in placed]
        at = 0
        for word in _CJK.sub(r" \1 ", letters).split() if not run.isascii() else (letters,):
            for part in [word] if word.isalnum() else _split_punctuation(word):
                end = at + len(part)
                for number in self._word(part):
                    after = end if number == self._unknown else at + self._lengths[number]
                    yield number, offset + places[at], offset + places[after - 1] + 1
                    at = after

    def _split(self, word: str) -> tuple[int, ...]:
        """Split a word into pieces, longest first. If any part has no piece, the whole word is unknown."""
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


def _normalize(text: str) -> str:
    """Convert to lower case, and remove accents and invisible characters."""
    if text.isascii() and text.isprintable():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(
        " " if letter.isspace() else letter
        for letter in decomposed
        if letter.isspace() or unicodedata.category(letter) not in ("Mn", "Cc", "Cf")
    )


def _split_punctuation(run: str) -> list[str]:
    """Split at punctuation marks, each a word of its own; in ASCII, all but letters and digits are punctuation."""
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
