"""The pages nearest to the question by their vectors, or by those of their gists; shown raw, in the order of the text.

A page longer than the embedder takes is the mean of its passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.retrieval.passages import passages
from readagent.retrieval.vectors import Array, unit


@dataclass(frozen=True, slots=True)
class NeuralMethod:
    """``count`` pages are shown in full, and nothing else."""

    count: int
    by_gist: bool = False

    @property
    def name(self) -> str:
        return f"{'neural-gist' if self.by_gist else 'neural'}:{self.count}"

    @property
    def title(self) -> str:
        return f"Neural{' (gists)' if self.by_gist else ''} Top-{self.count}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        memories = await desk.memories(document)
        best = (await nearest(memories.fitted, question, desk, by_gist=self.by_gist))[: self.count]
        outcome = await desk.show(memories.fitted, best, question)
        return replace(outcome, reading=memories.read() if self.by_gist else memories.paged())


async def nearest(memory: GistMemory, question: Question, desk: Desk, *, by_gist: bool = False) -> list[int]:
    """The pages of a memory, the nearest to the question first."""
    texts = [gist.text for gist in memory.gists] if by_gist else [memory.page_text(p.number) for p in memory.pages]
    rows = await desk.once(memory.document, ("vectors", by_gist), lambda: whole_vectors(texts, desk))
    (asked,) = await desk.vectors([question.shown()])
    return [int(number) for number in np.argsort(-(rows @ asked), kind="stable")]


async def whole_vectors(texts: Sequence[str], desk: Desk) -> Array:
    """One row for each text: the mean of the rows of its passages."""
    cut = [passages(text) or [text] for text in texts]
    rows = await desk.vectors([passage for text in cut for passage in text])
    ends = np.cumsum([len(text) for text in cut])
    return unit(np.stack([rows[end - len(text) : end].mean(axis=0) for text, end in zip(cut, ends, strict=True)]))


def make(kind: str, number: int) -> NeuralMethod:
    return NeuralMethod(number, by_gist=kind == "neural-gist")
