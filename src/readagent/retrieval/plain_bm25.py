"""BM25 with the standard library alone: the same scores as `bm25` has, where its packages are not installed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log

from readagent.retrieval.terms import terms

_K1, _B = 1.5, 0.75


class PlainBm25:
    """An index over texts (Lucene's form), asked with questions."""

    def __init__(self, texts: Sequence[str]) -> None:
        found = [Counter(terms(text)) for text in texts]
        sizes = [counts.total() for counts in found]
        mean = sum(sizes) / len(sizes) if any(sizes) else 1.0
        having = Counter(term for counts in found for term in counts)
        self._size = len(found)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (counts, size) in enumerate(zip(found, sizes, strict=True)):
            least = _K1 * (1 - _B + _B * size / mean)
            for term, count in counts.items():
                rarity = log(1 + (len(found) - having[term] + 0.5) / (having[term] + 0.5))
                self._weights[term].append((number, rarity * count / (count + least)))

    def scores(self, question: str) -> list[float]:
        """How well each text fits the question; 0 where they share no term."""
        scores = [0.0] * self._size
        for term in terms(question):
            for number, weight in self._weights.get(term, ()):
                scores[number] += weight
        return scores
