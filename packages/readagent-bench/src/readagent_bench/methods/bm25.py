"""The pages that BM25 ranks highest, shown in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from readagent.core.memory import GistMemory
from readagent.retrieval.bm25 import Bm25
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class Bm25Method:
    """Shows ``count`` pages in full and nothing else."""

    count: int

    @property
    def name(self) -> str:
        return f"bm25:{self.count}"

    @property
    def title(self) -> str:
        return f"BM25 Top-{self.count}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memory, done = await context.pages(asked.document)
        index = await context.once(asked.document, "bm25", lambda: _indexed(memory))
        best = np.argsort(-np.asarray(index.scores(asked.question.shown())), kind="stable")[: self.count]
        outcome = await context.show(memory, [int(number) for number in best], asked.question)
        return replace(outcome, preparation=done)


async def _indexed(memory: GistMemory) -> Bm25:
    return Bm25([memory.page_text(page.number) for page in memory.pages])


def make(kind: str, number: int) -> Bm25Method:
    return Bm25Method(number)
