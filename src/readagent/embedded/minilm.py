"""all-MiniLM-L6-v2: unit vectors of 384 numbers for sentences, close if the meanings are close."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from readagent.embedded.encoder import WIDTH, Array, Encoder, batches, padded, read_safetensors
from readagent.embedded.wordpiece import WordPiece

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
        for batch in batches([len(numbers) for numbers in encoded]):
            rows[batch] = self._forward([encoded[i] for i in batch])
        return rows

    def _forward(self, batch: list[list[int]]) -> Array:
        pieces, lengths = padded(batch)
        hidden = self._encoder(pieces, lengths)
        inside = (np.arange(pieces.shape[1]) < lengths[:, None])[:, :, None]
        pooled = (hidden * inside).sum(axis=1) / lengths[:, None]
        rows: Array = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).astype(np.float32)
        return rows
