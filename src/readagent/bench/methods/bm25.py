"""The pages that BM25 ranks highest, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.retrieval.bm25 import Bm25


@dataclass(frozen=True, slots=True)
class Bm25Method:
    """``count`` pages are shown in full, and nothing else."""

    count: int

    @property
    def name(self) -> str:
        return f"bm25:{self.count}"

    @property
    def title(self) -> str:
        return f"BM25 Top-{self.count}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        memories = await desk.memories(document)
        index = await desk.once(document, "bm25", lambda: _indexed(memories.fitted))
        best = np.argsort(-np.asarray(index.scores(question.shown())), kind="stable")[: self.count]
        outcome = await desk.show(memories.fitted, [int(number) for number in best], question)
        return replace(outcome, reading=memories.paged())


async def _indexed(memory: GistMemory) -> Bm25:
    return Bm25([memory.page_text(page.number) for page in memory.pages])


def make(kind: str, number: int) -> Bm25Method:
    return Bm25Method(number)
