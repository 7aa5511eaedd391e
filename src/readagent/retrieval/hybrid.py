"""Hints by words and by meaning together: the evidence on each page, with vectors of its passages and of its gist."""

from __future__ import annotations

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.retrieval.evidence import evidence_in
from readagent.retrieval.hints import Kept, ranked, texts_of
from readagent.retrieval.vectors import vectors_of


class HybridHinter:
    """Finds pages by BM25 and by the vectors of an embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._evidence = Kept(lambda memory: evidence_in(memory, embedder))

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """All pages, the strongest first."""
        texts = texts_of(question)
        rows = await vectors_of(texts, self._embedder)
        evidence = await self._evidence.of(memory)
        return ranked([evidence.of_pages(text, row).tolist() for text, row in zip(texts, rows, strict=True)])
