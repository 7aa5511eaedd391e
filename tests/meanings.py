"""An embedder and a reader for tests: what shares words with the question is near it, and answers it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np

from readagent.core.model import Vectors
from readagent.embedded.reader import Found
from readagent.retrieval.bm25 import sentence_spans, terms

WIDTH = 64


class WordMeanings:
    name = "words"

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        rows = np.array([_row(text) for text in texts], np.float32).reshape(len(texts), WIDTH)
        return Vectors(WIDTH, rows.tobytes())

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> list[Vectors]:
        await self.embed([" ".join(parts) for parts in texts])
        return [await self.embed(parts) for parts in texts]


def _row(text: str) -> np.ndarray:  # type: ignore[type-arg]
    row = sum((_direction(term) for term in terms(text)), np.full(WIDTH, 1e-3, np.float32))
    return row / np.linalg.norm(row)


@cache
def _direction(term: str) -> np.ndarray:  # type: ignore[type-arg]
    seed = int.from_bytes(hashlib.sha256(term.encode("utf-8", "replace")).digest()[:4])
    return np.random.default_rng(seed).standard_normal(WIDTH).astype(np.float32)


class WordReader:
    """Finds the sentence that shares most words with the question, and calls it the answer if it shares half of them.

    An option is right if the passage has its words.
    """

    name = "word-reader"

    async def find(self, question: str, passages: Sequence[str]) -> list[Found]:
        return [self._found(set(terms(question)), passage) for passage in passages]

    async def judge(self, question: str, answers: Sequence[str], passages: Sequence[str]) -> np.ndarray:  # type: ignore[type-arg]
        shares = [[_share(set(terms(answer)), passage) for passage in passages] for answer in answers]
        return np.array(shares, np.float32) * 3

    def close(self) -> None:
        pass

    def _found(self, asked: set[str], passage: str) -> Found:
        spans = sentence_spans(passage) or [(0, len(passage))]
        start, end = max(spans, key=lambda span: _share(asked, passage[span[0] : span[1]]))
        return Found(start, end, 20 * _share(asked, passage[start:end]) - 10)


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(terms(text))) / max(1, len(wanted))
