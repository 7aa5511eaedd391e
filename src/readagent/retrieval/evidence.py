"""Evidence: how relevant each page is to a question, by words and meaning together, and page hints made from it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.core.words import sentences
from readagent.retrieval.bm25 import Bm25, passage_spans, passages, subject
from readagent.retrieval.hints import MemoryCache, rank_pages, search_texts
from readagent.retrieval.vectors import Array, sentence_means, unit, vectors_of

_BEST = 3
_NO_SPREAD = 1e-9  # a standard deviation below this means that pages do not differ
_GIST = 0.5  # weight of each of the two gist measures


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim piece of a page, from offset ``start`` on.

    ``score`` says how near it is to the question, compared with the other passages of the text.
    """

    page: int
    start: int
    text: str
    score: float = 0.0


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
        split = [sentences(passage) for passage in flat]
        self._sentence_owners = np.repeat(np.arange(len(flat)), [len(own) for own in split])
        self._sentence_words = Bm25(sentence for own in split for sentence in own)
        self._vectors = vectors
        self._page_vectors = None if vectors is None else _means(vectors, self._of_page)
        self._gist_words = Bm25(gists) if gists else None
        self._gist_vectors = gist_vectors

    def page_scores(self, question: str, vector: Array | None = None) -> Array:
        """Return a score for each page: about 0 for an average page, higher for a relevant one."""
        evidence = np.zeros(len(self._pages), np.float32)
        for weight, measure in self._measures(question, vector):
            evidence += np.float32(weight) * standardized(measure)
        return evidence

    def nearest(
        self, question: str, vector: Array, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a question, nearest first."""
        scores = self._passage_scores(question, vector)
        order = np.argsort(-scores, kind="stable").tolist()
        places = [place for place in order if pages is None or self._owners[place] in pages][:most]
        spans = {page: passage_spans(self._pages[page]) for page in {int(self._owners[place]) for place in places}}
        found = []
        for place in places:
            page = int(self._owners[place])
            start, end = spans[page][place - int(self._of_page[page][0])]
            found.append(Passage(page, start, self._pages[page][start:end], float(scores[place])))
        return found

    def _passage_scores(self, question: str, vector: Array) -> Array:
        """Return the sum of three measures of each passage: its words, those of its best sentence, and its meaning."""
        best = np.zeros(len(self._owners), np.float32)
        np.maximum.at(best, self._sentence_owners, _words(self._sentence_words, question))
        similar = np.zeros_like(best) if self._vectors is None else self._vectors @ vector
        return sum((standardized(one) for one in (_words(self._passage_words, question), best, similar)), 0 * best)

    def _measures(self, question: str, vector: Array | None) -> list[tuple[float, Array]]:
        """Return the weight of each measure and its value for each page."""
        words = _words(self._passage_words, question)
        measures = [(1.0, _words(self._page_words, question)), (1.0, self._best(words, 1))]
        if self._gist_words is not None:
            measures.append((_GIST, _words(self._gist_words, question)))
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


def _words(index: Bm25, question: str) -> Array:
    return np.asarray(index.scores(subject(question)), np.float32)


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


READ = 24  # passages, the nearest, that are read for a question


class HybridHinter:
    """Finds pages by BM25 and by the vectors of an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._evidence = MemoryCache(lambda memory: build_evidence(memory, embedder))

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        texts = search_texts(question)
        rows = await vectors_of(texts, self._embedder)
        evidence = await self._evidence.get(memory)
        return rank_pages([evidence.page_scores(text, row).tolist() for text, row in zip(texts, rows, strict=True)])

    async def passages(
        self, memory: GistMemory, text: str, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a text, nearest first."""
        rows = await vectors_of([text], self._embedder)
        return (await self._evidence.get(memory)).nearest(text, rows[0], most=most, pages=pages)
