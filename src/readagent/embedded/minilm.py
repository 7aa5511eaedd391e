"""all-MiniLM-L6-v2: unit vectors of 384 numbers for sentences, close if the meanings are close."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from readagent.embedded.encoder import WIDTH, Array, Encoder, batches, padded, read_safetensors
from readagent.embedded.wordpiece import WordPiece
from readagent.retrieval.vectors import unit

_MAX_TOKENS = 256


class MiniLM:
    """The model, loaded from a folder with ``model.safetensors`` and ``vocab.txt``."""

    def __init__(self, folder: Path) -> None:
        self._words = WordPiece(folder / "vocab.txt")
        self._encoder = Encoder(read_safetensors(folder / "model.safetensors"))

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row per text, in order."""
        encoded = [self._words.encode(text, _MAX_TOKENS) for text in texts]
        rows = np.zeros((len(texts), WIDTH), np.float32)
        for batch, hidden in self._hidden(encoded):
            rows[batch] = [vectors.mean(axis=0) for vectors in hidden]
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
        for batch, hidden in self._hidden(encoded):
            for place, vectors in zip(batch, hidden, strict=True):
                rows[place] = vectors.mean(axis=0)
                ends = np.cumsum([1, *map(len, pieces[place])])
                for number, (start, end) in enumerate(pairwise(ends)):
                    inside = vectors[start : min(end, len(vectors) - 1)]
                    own[place][number] = inside.mean(axis=0) if len(inside) else rows[place]
        return unit(rows), [unit(one) for one in own]

    def _hidden(self, encoded: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], list[Array]]]:
        """Yield the indices of texts, and the vectors of the word pieces of each, batch by batch."""
        for batch in batches([len(row) for row in encoded]):
            pieces, lengths = padded([encoded[i] for i in batch])
            hidden = self._encoder(pieces, lengths)
            yield batch, [vectors[:length] for vectors, length in zip(hidden, lengths, strict=True)]
