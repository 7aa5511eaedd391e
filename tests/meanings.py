"""An embedder for tests: a text's vector is the sum of directions for its words, so that shared words mean likeness."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np

from readagent.core.model import Vectors
from readagent.retrieval.terms import terms

WIDTH = 64


class WordMeanings:
    name = "words"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        rows = np.array([_row(text) for text in texts], np.float32).reshape(len(texts), WIDTH)
        return Vectors(WIDTH, rows.tobytes())


def _row(text: str) -> np.ndarray:  # type: ignore[type-arg]
    row = sum((_direction(term) for term in terms(text)), np.full(WIDTH, 1e-3, np.float32))
    return row / np.linalg.norm(row)


@cache
def _direction(term: str) -> np.ndarray:  # type: ignore[type-arg]
    seed = int.from_bytes(hashlib.sha256(term.encode("utf-8", "replace")).digest()[:4])
    return np.random.default_rng(seed).standard_normal(WIDTH).astype(np.float32)
