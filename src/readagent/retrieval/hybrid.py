"""Page hints by words and meaning together: BM25 and the vectors of passages and gists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.retrieval.evidence import Evidence, Passage, build_evidence, standardized
from readagent.retrieval.hints import MemoryCache, rank_pages, search_texts
from readagent.retrieval.vectors import Array, vectors_of

READ = 24  # passages, the nearest, whose relevance is judged
_READ_WEIGHT = 2.0  # of their relevance, where each measure of words and vectors counts 1

Relevance = Callable[[str, Sequence[str]], Awaitable[Sequence[float]]]  # of passages to a question; higher is better


class HybridHinter:
    """Finds pages by BM25 and by the vectors of an embedder.

    With ``relevance``, the nearest passages are also read together with the question. That takes a second, and is not
    done for questions with options and for claims.
    """

    def __init__(self, embedder: Embedder, relevance: Relevance | None = None) -> None:
        self._embedder = embedder
        self._relevance = relevance
        self._evidence = MemoryCache(lambda memory: build_evidence(memory, embedder))

    async def hints(self, memory: GistMemory, question: Question, opened: Collection[int] = ()) -> list[Hint]:
        """Return all pages, best first. Terms that ``opened`` pages already contain count less."""
        texts = search_texts(question)
        rows = await vectors_of(texts, self._embedder)
        evidence = await self._evidence.get(memory)
        scores = [evidence.page_scores(text, row, opened) for text, row in zip(texts, rows, strict=True)]
        if self._relevance is not None and question.kind == "free":
            scores[0] = scores[0] + await self._read(evidence, question.text, rows[0], self._relevance)
        return rank_pages([one.tolist() for one in scores])

    async def passages(
        self, memory: GistMemory, text: str, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a text, nearest first."""
        rows = await vectors_of([text], self._embedder)
        return (await self._evidence.get(memory)).nearest(text, rows[0], most=most, pages=pages)

    async def _read(self, evidence: Evidence, question: str, row: Array, relevance: Relevance) -> Array:
        near = evidence.nearest(question, row, most=READ)
        values = await relevance(question, [passage.text for passage in near])
        return _READ_WEIGHT * standardized(evidence.best_read(near, values))
