"""Evidence: how strongly each page bears on a question, by words and by meaning together.

Five measures are brought to a common scale and added: BM25 of the page, BM25 of its best passage, the likeness in
meaning of its best passage, of its three best passages, and of the page as a whole. None of them is best on all
texts; the sum was better than each, and than fusing ranks, on the half of the meetings it was not chosen on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from readagent.retrieval.bm25 import Bm25

Array = NDArray[np.float32]

_BEST = 3


class Evidence:
    """Pages cut into passages, with a vector for each passage (rows of length one), or none at all."""

    def __init__(self, pages: Sequence[str], passages: Sequence[Sequence[str]], vectors: Array | None) -> None:
        flat = [passage for page in passages for passage in page]
        owners = np.repeat(np.arange(len(pages)), [len(page) for page in passages])
        self._of_page = [np.flatnonzero(owners == number) for number in range(len(pages))]
        self._page_words = Bm25(pages)
        self._passage_words = Bm25(flat)
        self._vectors = vectors
        self._page_vectors = None if vectors is None else _means(vectors, self._of_page)

    def of_pages(self, question: str, vector: Array | None = None) -> Array:
        """The evidence on each page: about 0 on an ordinary page, higher where there is more."""
        measures = [self._page_words.scores(question), self._best(self._passage_words.scores(question), 1)]
        if vector is not None and self._vectors is not None and self._page_vectors is not None:
            likeness = self._vectors @ vector
            measures += [self._best(likeness, 1), self._best(likeness, _BEST), self._page_vectors @ vector]
        evidence: Array = np.sum([scaled(measure) for measure in measures], axis=0, dtype=np.float32)
        return evidence

    def _best(self, scores: Array, count: int) -> Array:
        """For each page the mean of its best passages' scores."""
        best = [np.sort(scores[own])[-count:].mean() if len(own) else 0.0 for own in self._of_page]
        return np.asarray(best, np.float32)


def _means(vectors: Array, of_page: Sequence[NDArray[np.intp]]) -> Array:
    means = np.zeros((len(of_page), vectors.shape[1]), np.float32)
    for number, own in enumerate(of_page):
        if len(own):
            means[number] = vectors[own].mean(axis=0)
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9), np.float32)


def scaled(scores: Array) -> Array:
    """Mean 0 and spread 1 over the pages; all 0 where the pages do not differ."""
    spread = scores.std()
    return np.asarray((scores - scores.mean()) / spread if spread > 1e-9 else np.zeros_like(scores), np.float32)
