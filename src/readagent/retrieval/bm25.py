"""BM25: score texts by the terms they share with a question."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

from readagent.retrieval.terms import terms

_K1, _B = 1.5, 0.75


class Bm25:
    """An index over texts, in Lucene's variant of BM25 (k1 1.5, b 0.75)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._postings: dict[str, array[int]] = {}  # numbers of texts with a term, each followed by how often it occurs
        lengths = array("I")
        for number, text in enumerate(texts):
            counts = Counter(terms(text))
            lengths.append(counts.total())
            for term, count in counts.items():
                if term not in self._postings:
                    self._postings[term] = array("I")
                self._postings[term].extend((number, count))
        mean_length = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._norms = array("d", [_K1 * (1 - _B + _B * length / mean_length) for length in lengths])

    def scores(self, question: str, weights: Mapping[str, float] | None = None) -> list[float]:
        """Return a score for each text, in order: 0 if the text shares no term with the question.

        ``weights`` scales the contribution of single terms; a term that is not in it counts in full.
        """
        scores = [0.0] * len(self._norms)
        for term in terms(question):
            weight = weights.get(term, 1.0) if weights else 1.0
            found = self._postings.get(term)
            if found is None:
                continue
            having = len(found) // 2
            idf = log(1 + (len(scores) - having + 0.5) / (having + 0.5))
            for number, count in zip(found[::2], found[1::2], strict=True):
                scores[number] += weight * (idf * count / (count + self._norms[number]))
        return scores
