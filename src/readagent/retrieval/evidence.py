"""Evidence: how relevant each page is to a question, by words and meaning together, and page hints made from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.retrieval.bm25 import Bm25, passage_sentences, subject, terms
from readagent.retrieval.hints import MemoryCache, rank_pages, search_texts
from readagent.retrieval.vectors import Array, sentence_means, unit, vectors_of

_BEST = 3
_K1, _B = 1.5, 0.75  # as in Bm25
_NO_SPREAD = 1e-9  # a standard deviation below this means that pages do not differ
_GIST = 0.5  # weight of each of the two gist measures

_Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim piece of a page, from offset ``start`` on.

    ``score`` says how near it is to the question, compared with the other passages of the text.
    """

    page: int
    start: int
    text: str
    score: float = 0.0

    def overlaps(self, other: Passage) -> bool:
        """Whether both have the same words of a page."""
        ends = self.start + len(self.text), other.start + len(other.text)
        return self.page == other.page and self.start < ends[1] and other.start < ends[0]


class _Words:
    """BM25 of texts that are made of the same pieces, whose words are split once for all of them."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._numbers: dict[str, int] = {}
        found = [[self._numbers.setdefault(term, len(self._numbers)) for term in terms(piece)] for piece in pieces]
        self._terms = np.array([number for own in found for number in own], np.intp)
        self._pieces = np.repeat(np.arange(len(found)), [len(own) for own in found])

    def scores(self, question: str, owners: NDArray[np.intp], count: int) -> Array:
        """Return the scores of ``count`` texts, which are those of ``Bm25``; ``owners`` has the text of each piece."""
        own = owners[self._pieces]
        lengths = np.bincount(own, minlength=count)
        norms = _K1 * (1 - _B + _B * lengths / (lengths.mean() if len(own) else 1.0))
        scores = np.zeros(count)
        for term in terms(subject(question)):
            times = np.bincount(own[self._terms == self._numbers.get(term, -1)], minlength=count)
            having = np.count_nonzero(times)
            scores += log(1 + (count - having + 0.5) / (having + 0.5)) * times / (times + norms)
        return scores.astype(np.float32)


class Gists(NamedTuple):
    """The words of the gists of pages, and a vector of each."""

    words: Bm25
    vectors: Array


class Evidence:
    """An index over pages and their passages, which are given as the spans of their sentences.

    ``vectors`` has a unit vector for each passage.
    """

    def __init__(self, pages: Sequence[str], split: Sequence[Sequence[_Spans]], vectors: Array) -> None:
        flat = [passage for page in split for passage in page]
        self._pages, self._vectors = pages, vectors
        self._spans = [(passage[0][0], passage[-1][1]) for passage in flat]
        self._owners = np.repeat(np.arange(len(pages)), [len(page) for page in split])  # the page of each passage
        self._sentence_owners = np.repeat(np.arange(len(flat)), [len(passage) for passage in flat])
        self._of_page = [np.flatnonzero(self._owners == number) for number in range(len(pages))]
        of_pages = zip(pages, split, strict=True)
        self._words = _Words(page[start:end] for page, own in of_pages for passage in own for start, end in passage)

    def page_scores(self, question: str, vector: Array, gists: Gists | None = None) -> Array:
        """Return a score for each page: about 0 for an average page, higher for a relevant one."""
        evidence = np.zeros(len(self._pages), np.float32)
        for weight, measure in self._measures(question, vector, gists):
            evidence += np.float32(weight) * standardized(measure)
        return evidence

    def nearest(
        self, question: str, vector: Array, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a question, nearest first."""
        scores = self._passage_scores(question, vector)
        order = np.argsort(-scores, kind="stable").tolist()
        places = [place for place in order if pages is None or self._owners[place] in pages][:most]
        found = ((int(self._owners[place]), *self._spans[place], float(scores[place])) for place in places)
        return [Passage(page, start, self._pages[page][start:end], score) for page, start, end, score in found]

    def _passage_scores(self, question: str, vector: Array) -> Array:
        """Return the sum of three measures of each passage: its words, those of its best sentence, and its meaning."""
        words, best = self._passage_words(question), np.zeros(len(self._owners), np.float32)
        every = np.arange(len(self._sentence_owners))
        np.maximum.at(best, self._sentence_owners, self._words.scores(question, every, len(every)))
        return standardized(words) + standardized(best) + standardized(self._vectors @ vector)

    def _passage_words(self, question: str) -> Array:
        return self._words.scores(question, self._sentence_owners, len(self._owners))

    def _measures(self, question: str, vector: Array, gists: Gists | None) -> list[tuple[float, Array]]:
        """Return the weight of each measure and its value for each page."""
        own = self._words.scores(question, self._owners[self._sentence_owners], len(self._pages))
        words, similar = self._passage_words(question), self._vectors @ vector
        best = (self._best(words, 1), self._best(similar, 1), self._best(similar, _BEST))
        measures = [(1.0, one) for one in (own, *best, _means(self._vectors, self._of_page) @ vector)]
        if gists is not None:
            words = np.asarray(gists.words.scores(subject(question)), np.float32)
            measures += [(_GIST, words), (_GIST, gists.vectors @ vector)]
        return measures

    def _best(self, scores: Array, count: int) -> Array:
        """Return the mean score of each page's ``count`` best passages."""
        best = [np.sort(scores[own])[-count:].mean() if len(own) else 0.0 for own in self._of_page]
        return np.asarray(best, np.float32)


def _means(vectors: Array, of_page: Sequence[NDArray[np.intp]]) -> Array:
    means = np.zeros((len(of_page), vectors.shape[1]), np.float32)
    for number, own in enumerate(of_page):
        if len(own):
            means[number] = vectors[own].mean(axis=0)
    return unit(means)


async def build_evidence(memory: GistMemory, embedder: Embedder) -> Evidence:
    """Index the raw pages of a memory."""
    pages = [memory.page_text(page.number) for page in memory.pages]
    split = [passage_sentences(page) for page in pages]
    texts = [" ".join(page[a:b] for a, b in passage) for page, own in zip(pages, split, strict=True) for passage in own]
    return Evidence(pages, split, await vectors_of(texts, embedder))


async def index_gists(memory: GistMemory, embedder: Embedder) -> Gists | None:
    """Index the gists of a memory; None if all are empty."""
    gists = [gist.text for gist in memory.gists]
    return Gists(Bm25(gists), await sentence_means(gists, embedder)) if any(gists) else None


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
        self._gists = MemoryCache(lambda memory: index_gists(memory, embedder))

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        texts = search_texts(question)
        rows = await vectors_of(texts, self._embedder)
        evidence, gists = await self._evidence.get(memory), await self._gists.get(memory)
        scores = [evidence.page_scores(text, row, gists).tolist() for text, row in zip(texts, rows, strict=True)]
        return rank_pages(scores)

    async def passages(
        self, memory: GistMemory, text: str, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a text, nearest first."""
        rows = await vectors_of([text], self._embedder)
        return (await self._evidence.get(memory)).nearest(text, rows[0], most=most, pages=pages)
