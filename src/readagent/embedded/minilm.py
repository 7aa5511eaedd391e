"""all-MiniLM-L6-v2: unit vectors of 384 numbers for sentences, close if the meanings are close; and its tokenizer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from readagent.core.model import Vectors
from readagent.embedded.encoder import WIDTH, Array, Encoder, batches, in_threads, padded, read_safetensors
from readagent.embedded.weights import load
from readagent.retrieval.vectors import unit

_LONGEST_WORD = 100
_RUN = re.compile(r"\S+")
_CJK = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f])")


class WordPiece:
    """Converts text to the ids of its word pieces; ``first`` and ``last`` are the ids of ``[CLS]`` and ``[SEP]``."""

    def __init__(self, vocabulary: Path) -> None:
        self._pieces = vocabulary.read_text("utf-8").splitlines()
        self._numbers = {piece: number for number, piece in enumerate(self._pieces)}
        self._unknown, self.first, self.last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
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
                    after = end if number == self._unknown else at + len(self._pieces[number].removeprefix("##"))
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


@lru_cache(maxsize=2)
def word_pieces(folder: Path) -> WordPiece:
    """Return the word pieces of the weights in a folder, which all networks made of them share."""
    return WordPiece(folder / "vocab.txt")


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


_MAX_TOKENS = 256


class MiniLM:
    """The model, loaded from a folder with ``model.safetensors`` and ``vocab.txt``."""

    def __init__(self, folder: Path) -> None:
        self._words = word_pieces(folder)
        self._encoder = Encoder(read_safetensors(folder / "model.safetensors"))

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row per text, in order."""
        encoded = [self._words.encode(text, _MAX_TOKENS) for text in texts]
        rows = np.zeros((len(texts), WIDTH), np.float32)

        def keep(place: int, vectors: Array) -> None:
            rows[place] = vectors.mean(axis=0)

        self._each(encoded, keep)
        return unit(rows)

    def embed_parts(self, texts: Sequence[Sequence[str]]) -> tuple[Array, list[Array]]:
        """Return a row for each text, given as its parts, and a row for each of its parts as it stands in the text.

        The row of a text is that of ``embed`` for its parts with spaces between them.
        """
        pieces = [[self._words.encode(part, _MAX_TOKENS)[1:-1] for part in parts] for parts in texts]
        whole = [[piece for part in parts for piece in part][: _MAX_TOKENS - 2] for parts in pieces]
        encoded = [[self._words.first, *row, self._words.last] for row in whole]
        rows = np.zeros((len(texts), WIDTH), np.float32)
        own = [np.zeros((len(parts), WIDTH), np.float32) for parts in texts]

        def keep(place: int, vectors: Array) -> None:
            rows[place] = vectors.mean(axis=0)
            ends = np.cumsum([1, *map(len, pieces[place])])
            for number, (start, end) in enumerate(pairwise(ends)):
                inside = vectors[start : min(end, len(vectors) - 1)]
                own[place][number] = inside.mean(axis=0) if len(inside) else rows[place]

        self._each(encoded, keep)
        return unit(rows), [unit(one) for one in own]

    def _each(self, encoded: Sequence[Sequence[int]], keep: Callable[[int, Array], None]) -> None:
        """Call ``keep`` with the place of each text and the vectors of its word pieces."""

        def encode(batch: list[int]) -> None:
            pieces, lengths = padded([encoded[i] for i in batch])
            for place, vectors, length in zip(batch, self._encoder(pieces, lengths), lengths, strict=True):
                keep(place, vectors[:length])

        in_threads(encode, batches([len(row) for row in encoded]))


class WordVectors:
    """An embedder with the weights in ``folder``, which are loaded on first use."""

    name = "minilm-words"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._table: _Table | None = None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order; zeros for a text without words."""
        if self._table is None:
            self._table = load(_Table, self._folder)
        return Vectors(WIDTH, self._table.means(texts).astype("<f4", copy=False).tobytes())


class _Table:
    """The vectors of all word pieces, and what they have in common, which says nothing about a topic."""

    def __init__(self, folder: Path) -> None:
        self._words = word_pieces(folder)
        self._vectors = read_safetensors(folder / "model.safetensors")["embeddings.word_embeddings.weight"]
        self._common = self._vectors.mean(axis=0)

    def means(self, texts: Sequence[str]) -> Array:
        rows = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(rows, texts, strict=True):
            pieces = self._words.encode(text, _MAX_TOKENS)[1:-1]
            if pieces:
                row[:] = self._vectors[pieces].mean(axis=0) - self._common
        return unit(rows)
