"""Evidence: how strongly each page bears on a question, by words and by meaning together.

Five measures are brought to a common scale and added: BM25 of the page, BM25 of its best passage, the likeness in
meaning of its best passage, of its three best passages, and of the page as a whole. None of them is best on all
texts; the sum was better than each, and than fusing ranks, on the half of the meetings it was not chosen on. Where the
pages have gists, BM25 and likeness of the gist count half as much.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.passages import passages
from readagent.retrieval.terms import terms
from readagent.retrieval.vectors import Array, meant, unit, vectors_of

_BEST = 3
_SAME = 1e-9  # a spread under which pages do not differ
_GIST = 0.5  # what each of the two measures of gists counts
_COVERED = 0.8  # what a term still counts once a page that was opened has it


class Evidence:
    """Pages cut into passages, with a vector for each passage (rows of length one), or none at all.

    ``gists`` has the gist of each page and ``gist_vectors`` a row for each, where there are any.
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
        owners = np.repeat(np.arange(len(pages)), [len(page) for page in passages])
        self._pages = pages
        self._of_page = [np.flatnonzero(owners == number) for number in range(len(pages))]
        self._page_words = Bm25(pages)
        self._passage_words = Bm25(flat)
        self._vectors = vectors
        self._page_vectors = None if vectors is None else _means(vectors, self._of_page)
        self._gist_words = Bm25(gists) if gists else None
        self._gist_vectors = gist_vectors

    def of_pages(self, question: str, vector: Array | None = None, opened: Collection[int] = ()) -> Array:
        """The evidence on each page: about 0 on an ordinary page, higher where there is more.

        Where pages are ``opened`` already, the words of the question that stand on them count less.
        """
        measures = self._measures(question, vector)
        spreads = [measure.std() for _, measure in measures]
        if opened:
            held = {term for number in opened for term in terms(self._pages[number])}
            measures = self._measures(question, vector, dict.fromkeys(held.intersection(terms(question)), _COVERED))
        evidence = np.zeros(len(self._pages), np.float32)
        for (weight, measure), spread in zip(measures, spreads, strict=True):
            if spread > _SAME:
                evidence += np.float32(weight / spread) * (measure - measure.mean())
        return evidence

    def _measures(
        self, question: str, vector: Array | None, less: Mapping[str, float] | None = None
    ) -> list[tuple[float, Array]]:
        """What each measure counts, and its value for each page."""
        words = self._passage_words.scores(question, less)
        measures = [(1.0, self._page_words.scores(question, less)), (1.0, self._best(words, 1))]
        if self._gist_words is not None:
            measures.append((_GIST, self._gist_words.scores(question, less)))
        if vector is None:
            return measures
        if self._vectors is not None and self._page_vectors is not None:
            likeness = self._vectors @ vector
            several = (self._best(likeness, 1), self._best(likeness, _BEST), self._page_vectors @ vector)
            measures += [(1.0, measure) for measure in several]
        if self._gist_vectors is not None:
            measures.append((_GIST, self._gist_vectors @ vector))
        return measures

    def _best(self, scores: Array, count: int) -> Array:
        """For each page the mean of its best passages' scores."""
        best = [np.sort(scores[own])[-count:].mean() if len(own) else 0.0 for own in self._of_page]
        return np.asarray(best, np.float32)


def _means(vectors: Array, of_page: Sequence[NDArray[np.intp]]) -> Array:
    means = np.zeros((len(of_page), vectors.shape[1]), np.float32)
    for number, own in enumerate(of_page):
        if len(own):
            means[number] = vectors[own].mean(axis=0)
    return unit(means)


async def evidence_in(memory: GistMemory, embedder: Embedder) -> Evidence:
    """The evidence in a memory: its raw pages by their passages, and its gists."""
    pages = [memory.page_text(page.number) for page in memory.pages]
    cut = [passages(page) for page in pages]
    rows = await vectors_of([passage for page in cut for passage in page], embedder)
    gists = [gist.text for gist in memory.gists]
    return Evidence(pages, cut, rows, gists, await meant(gists, embedder) if any(gists) else None)


def scaled(scores: Array) -> Array:
    """Mean 0 and spread 1 over the pages; all 0 where the pages do not differ."""
    spread = scores.std()
    return np.asarray((scores - scores.mean()) / spread if spread > _SAME else np.zeros_like(scores), np.float32)
