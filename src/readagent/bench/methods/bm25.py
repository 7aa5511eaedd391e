"""The pages that BM25 ranks highest, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.desk import Desk, excerpt
from readagent.bench.example import Outcome
from readagent.core.document import Document
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
        memory = await desk.memory(document)
        pages = [memory.page_text(page.number) for page in memory.pages]
        scores = Bm25(pages).scores(question.shown())
        best = sorted(int(number) for number in np.argsort(-scores, kind="stable")[: self.count])
        shown = excerpt(document, [pages[number] for number in best])
        outcome = await desk.answer(shown, range(len(best)), question)
        return replace(outcome, pages=tuple(best), reading=desk.pausing(memory))


def make(kind: str, number: int) -> Bm25Method:
    return Bm25Method(number)
