"""BM25 over a handful or many thousands of texts; the one door to bm25s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from readagent.retrieval.terms import terms


class Bm25:
    """An index over texts (Lucene's form, k1 1.5, b 0.75), asked with questions."""

    def __init__(self, texts: Sequence[str]) -> None:
        found = [terms(text) for text in texts]
        self._size = len(found)
        self._known = {term for text in found for term in text}
        self._index = bm25s.BM25()
        if self._known:
            self._index.index(found, show_progress=False)

    def scores(self, question: str, less: Mapping[str, float] | None = None) -> NDArray[np.float32]:
        """How well each text fits the question; 0 where they share no term.

        ``less`` gives terms that count less than wholly, and the share that each still counts.
        """
        asked = [term for term in terms(question) if term in self._known]
        if not less:
            return self._sum(asked)
        scores = self._sum([term for term in asked if term not in less])
        for term in asked:
            if term in less:
                scores = scores + np.float32(less[term]) * self._sum([term])
        return scores

    def _sum(self, asked: list[str]) -> NDArray[np.float32]:
        if not asked:
            return np.zeros(self._size, np.float32)
        scores: NDArray[np.float32] = np.asarray(self._index.get_scores(asked), np.float32)
        return scores
