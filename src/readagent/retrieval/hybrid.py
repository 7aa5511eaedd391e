"""Page hints by words and meaning together: BM25 and the vectors of passages and gists."""

from __future__ import annotations

from collections.abc import Collection

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.retrieval.evidence import Passage, build_evidence
from readagent.retrieval.hints import MemoryCache, rank_pages, search_texts
from readagent.retrieval.vectors import vectors_of


class HybridHinter:
    """Finds pages by BM25 and by the vectors of an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._evidence = MemoryCache(lambda memory: build_evidence(memory, embedder))

    async def hints(self, memory: GistMemory, question: Question, opened: Collection[int] = ()) -> list[Hint]:
        """Return all pages, best first. Terms that ``opened`` pages already contain count less."""
        texts = search_texts(question)
        rows = await vectors_of(texts, self._embedder)
        evidence = await self._evidence.get(memory)
        return rank_pages(
            [evidence.page_scores(text, row, opened).tolist() for text, row in zip(texts, rows, strict=True)]
        )

    async def passages(
        self, memory: GistMemory, text: str, *, most: int, pages: Collection[int] | None = None
    ) -> list[Passage]:
        """Return the passages, of these pages or of all, that are nearest to a text, nearest first."""
        rows = await vectors_of([text], self._embedder)
        return (await self._evidence.get(memory)).nearest(text, rows[0], most=most, pages=pages)
