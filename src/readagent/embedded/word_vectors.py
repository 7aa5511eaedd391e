"""WordVectors: quick sentence vectors, the mean of the vectors that MiniLM has for word pieces before any layer.

They are good enough to tell topics apart, and a hundred times faster: no layer is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from readagent.core.model import Vectors
from readagent.embedded.encoder import WIDTH, Array, read_safetensors
from readagent.embedded.loading import load
from readagent.embedded.wordpiece import WordPiece
from readagent.retrieval.vectors import unit

_MAX_TOKENS = 256


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
        self._words = WordPiece(folder / "vocab.txt")
        self._vectors = read_safetensors(folder / "model.safetensors")["embeddings.word_embeddings.weight"]
        self._common = self._vectors.mean(axis=0)

    def means(self, texts: Sequence[str]) -> Array:
        rows = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(rows, texts, strict=True):
            pieces = self._words.encode(text, _MAX_TOKENS)[1:-1]
            if pieces:
                row[:] = self._vectors[pieces].mean(axis=0) - self._common
        return unit(rows)
