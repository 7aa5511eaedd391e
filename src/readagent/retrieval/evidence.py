"""Evidence: how relevant each page is to a question, by words and meaning together.

Five measures are standardised and added: BM25 of the page, BM25 of its best passage, and the vector similarity of its
best passage, of its three best passages, and of the whole page. None of them is best on all texts. On held-out meetings
the sum was better than each of them, and better than fusing ranks. If pages have gists, BM25 and similarity of the gist
are added with half the weight.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.passages import passage_spans, passages
from readagent.retrieval.terms import subject, terms
from readagent.retrieval.vectors import Array, sentence_means, unit, vectors_of

_BEST = 3
_BEST_READ = 2
_NO_SPREAD = 1e-9  # a standard deviation below this means that pages do not differ
_GIST = 0.5  # weight of each of the two gist measures
_COVERED = 0.8  # weight of a term that an opened page already contains


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim piece of a page, from offset ``start`` on, and the similarity of its vector to that of a question."""

    page: int
    start: int
    text: str
    similar: float


class Evidence:
    """An index over pages and their passages.

    ``vectors`` has a unit vector for each passage, or is None to score by words alone. ``gists`` and ``gist_vectors``
    have an entry for each page, or are omitted.
    """

    def __init__(
        self,
        pages: Sequence[str],
        passages: Sequence[Sequence[str]],
        vectors: Array | None,
        gists: Sequence[str] = (),
        gist_vectors: Array | None = None,
    ) -> None:
        flat = [passage for page in passages for passage in page]
        self._owners = np.repeat(np.arange(len(pages)), [len(page) for page in passages])  # the page of each passage
        self._pages = pages
        self._of_page = [np.flatnonzero(self._owners == number) for number in range(len(pages))]
        self._page_words = Bm25(pages)
        self._passage_words = Bm25(flat)
        self._vectors = vectors
        self._page_vectors = None if vectors is None else _means(vectors, self._of_page)
        self._gist_words = Bm25(gists) if gists else None
        self._gist_vectors = gist_vectors

    def page_scores(self, question: str, vector: Array | None = None, opened: Collection[int] = ()) -> Array:
        """Return a score for each page: about 0 for an average page, higher for a relevant one.

        Terms of the question that ``opened`` pages already contain count less.
        """
        measures = self._measures(question, vector)
        spreads = [measure.std() for _, measure in measures]
        if opened:
            covered = {term for number in opened for term in terms(self._pages[number])}
            measures = self._measures(question, vector, dict.fromkeys(covered.intersection(terms(question)), _COVERED))
        evidence = np.zeros(len(self._pages), np.float32)
        for (weight, measure), spread in zip(measures, spreads, strict=True):
            if spread > _NO_SPREAD:
                evidence += np.float32(weight / spread) * (measure - measure.mean())
        return evidence

    def nearest(
        self, question: str, vector: Array, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a question, nearest first."""
        scores = standardized(_words(self._passage_words, question, None))
        similar = np.zeros_like(scores) if self._vectors is None else self._vectors @ vector
        order = np.argsort(-(scores + standardized(similar)), kind="stable").tolist()
        places = [place for place in order if pages is None or self._owners[place] in pages][:most]
        spans = {page: passage_spans(self._pages[page]) for page in {int(self._owners[place]) for place in places}}
        found = []
        for place in places:
            page = int(self._owners[place])
            start, end = spans[page][place - int(self._of_page[page][0])]
            found.append(Passage(page, start, self._pages[page][start:end], float(similar[place])))
        return found

    def best_read(self, passages: Sequence[Passage], values: Sequence[float]) -> Array:
        """Return for each page the mean of its two best passages by these values; the lowest counts for all others."""
        least = min(values, default=0.0)
        found: list[list[float]] = [[] for _ in self._pages]
        for passage, value in zip(passages, values, strict=True):
            found[passage.page].append(value)
        best = []
        for own, places in zip(found, self._of_page, strict=True):
            count = max(1, min(_BEST_READ, len(places)))
            best.append(sum(sorted([*own, *[least] * count], reverse=True)[:count]) / count)
        return np.asarray(best, np.float32)

    def _measures(
        self, question: str, vector: Array | None, weights: Mapping[str, float] | None = None
    ) -> list[tuple[float, Array]]:
        """Return the weight of each measure and its value for each page."""
        words = _words(self._passage_words, question, weights)
        measures = [(1.0, _words(self._page_words, question, weights)), (1.0, self._best(words, 1))]
        if self._gist_words is not None:
            measures.append((_GIST, _words(self._gist_words, question, weights)))
        if vector is None:
            return measures
        if self._vectors is not None and self._page_vectors is not None:
            similarity = self._vectors @ vector
            several = (self._best(similarity, 1), self._best(similarity, _BEST), self._page_vectors @ vector)
            measures += [(1.0, measure) for measure in several]
        if self._gist_vectors is not None:
            measures.append((_GIST, self._gist_vectors @ vector))
        return measures

    def _best(self, scores: Array, count: int) -> Array:
        """Return the mean score of each page's ``count`` best passages."""
        best = [np.sort(scores[own])[-count:].mean() if len(own) else 0.0 for own in self._of_page]
        return np.asarray(best, np.float32)


def _words(index: Bm25, question: str, weights: Mapping[str, float] | None) -> Array:
    return np.asarray(index.scores(subject(question), weights), np.float32)


def _means(vectors: Array, of_page: Sequence[NDArray[np.intp]]) -> Array:
    means = np.zeros((len(of_page), vectors.shape[1]), np.float32)
    for number, own in enumerate(of_page):
        if len(own):
            means[number] = vectors[own].mean(axis=0)
    return unit(means)


async def build_evidence(memory: GistMemory, embedder: Embedder) -> Evidence:
    """Index the raw pages and the gists of a memory."""
    pages = [memory.page_text(page.number) for page in memory.pages]
    split = [passages(page) for page in pages]
    rows = await vectors_of([passage for page in split for passage in page], embedder)
    gists = [gist.text for gist in memory.gists]
    return Evidence(pages, split, rows, gists, await sentence_means(gists, embedder) if any(gists) else None)


def standardized(scores: Array) -> Array:
    """Shift and scale to mean 0 and standard deviation 1; all 0 if the scores do not differ."""
    spread = scores.std()
    return np.asarray((scores - scores.mean()) / spread if spread > _NO_SPREAD else np.zeros_like(scores), np.float32)
