"""BM25: score texts by the terms they share with a question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log

from readagent.retrieval.terms import terms

_K1, _B = 1.5, 0.75


class Bm25:
    """An index over texts, in Lucene's variant of BM25 (k1 1.5, b 0.75)."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(terms(text)) for text in texts]
        lengths = [counts.total() for counts in counted]
        mean_length = sum(lengths) / len(lengths) if any(lengths) else 1.0
        frequency = Counter(term for counts in counted for term in counts)
        idf = {term: log(1 + (len(texts) - having + 0.5) / (having + 0.5)) for term, having in frequency.items()}
        self._size = len(texts)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (counts, length) in enumerate(zip(counted, lengths, strict=True)):
            norm = _K1 * (1 - _B + _B * length / mean_length)
            for term, count in counts.items():
                self._postings[term].append((number, idf[term] * count / (count + norm)))

    def scores(self, question: str, weights: Mapping[str, float] | None = None) -> list[float]:
        """Return a score for each text, in order: 0 if the text shares no term with the question.

        ``weights`` scales the contribution of single terms; a term that is not in it counts in full.
        """
        scores = [0.0] * self._size
        for term in terms(question):
            weight = weights.get(term, 1.0) if weights else 1.0
            for number, score in self._postings.get(term, ()):
                scores[number] += weight * score
        return scores
