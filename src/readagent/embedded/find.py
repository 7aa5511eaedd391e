"""Look-up by measure: the pages with the strongest evidence for a question, as many as carry any."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.core.question import Question
from readagent.retrieval.evidence import Evidence, evidence_in
from readagent.retrieval.hints import texts_of
from readagent.retrieval.vectors import Array, vectors_of

_SHARE = 0.2  # of the best page's evidence that a page must have to be opened beside it
_SOME = 0.05  # evidence under which a page carries none
_OPTION = 0.5  # what the best option's evidence counts against the question's own


class Finder:
    """The evidence in one memory; made once for it, then asked with every question."""

    def __init__(self, memory: GistMemory, embedder: Embedder) -> None:
        self._memory = memory
        self._embedder = embedder
        self._evidence: Evidence | None = None

    async def ranked(self, question: Question, opened: Collection[int] = ()) -> tuple[list[int], Array]:
        """All pages, the strongest evidence first, and the evidence on each; what ``opened`` pages hold counts less."""
        texts = texts_of(question)
        rows = await vectors_of(texts, self._embedder)
        evidence = await self._prepared()
        measured = [evidence.of_pages(text, row, opened) for text, row in zip(texts, rows, strict=True)]
        scores = measured[0]
        if question.options:
            scores = scores + _OPTION * np.max(measured[1:], axis=0)
        return [int(number) for number in np.argsort(-scores, kind="stable")], scores

    async def pages(self, question: Question, most: int) -> list[int]:
        """The pages worth opening, the best first."""
        order, scores = await self.ranked(question)
        least = _SHARE * float(scores[order[0]])
        return [number for number in order[:most] if scores[number] >= least] or order[:1]

    async def next_page(self, question: Question, opened: Collection[int]) -> int | None:
        """The page that adds most to those opened; None where no other carries evidence for what is uncovered."""
        order, scores = await self.ranked(question)
        if not opened:
            return order[0]
        least = _SHARE * float(scores[order[0]])
        order, scores = await self.ranked(question, opened)
        best = next((number for number in order if number not in opened), None)
        return best if best is not None and scores[best] >= max(least, _SOME) else None

    async def _prepared(self) -> Evidence:
        if self._evidence is None:
            self._evidence = await evidence_in(self._memory, self._embedder)
        return self._evidence
