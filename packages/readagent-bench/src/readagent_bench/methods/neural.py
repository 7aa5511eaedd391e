"""The pages nearest to the question by vectors of pages or of gists, shown in the order of the text.

The vector of a page is the mean of the vectors of its passages, for a page may be too long for the embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.retrieval.bm25 import passages
from readagent.retrieval.vectors import Array, unit
from readagent_bench.example import Asked, Outcome, Preparation
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class NeuralMethod:
    """Shows ``count`` pages in full and nothing else."""

    count: int
    by_gist: bool = False

    @property
    def name(self) -> str:
        return f"{'neural-gist' if self.by_gist else 'neural'}:{self.count}"

    @property
    def title(self) -> str:
        return f"Neural{' (gists)' if self.by_gist else ''} Top-{self.count}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memory, done = await self._prepared(asked, context)
        best = (await nearest(memory, asked.question, context, by_gist=self.by_gist))[: self.count]
        return replace(await context.show(memory, best, asked.question), preparation=done)

    async def _prepared(self, asked: Asked, context: ReadingContext) -> tuple[GistMemory, Preparation]:
        if not self.by_gist:
            return await context.pages(asked.document)
        memories = await context.memories(asked.document)
        return memories.fitted, memories.preparation()


async def nearest(
    memory: GistMemory, question: Question, context: ReadingContext, *, by_gist: bool = False
) -> list[int]:
    """Return the pages of a memory, the nearest to the question first."""
    texts = [gist.text for gist in memory.gists] if by_gist else [memory.page_text(p.number) for p in memory.pages]
    rows = await context.once(memory.document, ("vectors", by_gist), lambda: whole_vectors(texts, context))
    (asked,) = await context.vectors([question.shown()])
    return [int(number) for number in np.argsort(-(rows @ asked), kind="stable")]


async def whole_vectors(texts: Sequence[str], context: ReadingContext) -> Array:
    """Return one row per text: the mean of the rows of its passages."""
    cut = [passages(text) or [text] for text in texts]
    rows = await context.vectors([passage for text in cut for passage in text])
    ends = np.cumsum([len(text) for text in cut])
    return unit(np.stack([rows[end - len(text) : end].mean(axis=0) for text, end in zip(cut, ends, strict=True)]))


def make(kind: str, number: int) -> NeuralMethod:
    return NeuralMethod(number, by_gist=kind == "neural-gist")
