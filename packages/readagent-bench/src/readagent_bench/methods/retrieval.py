"""Pages that BM25 or vectors rank highest, shown alone or opened among the gists; and the gists alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.retrieval.bm25 import Bm25, passages
from readagent.retrieval.vectors import Array, unit
from readagent_bench.reading import ReadingContext
from readagent_bench.records import Asked, Outcome

_TITLES = {"bm25": "BM25", "neural": "Neural", "neural-gist": "Neural (gists)"}


@dataclass(frozen=True, slots=True)
class RetrievalMethod:
    """Shows ``count`` pages in full and nothing else, ranked by their words, their vectors or those of their gists."""

    kind: str
    count: int

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.count}"

    @property
    def title(self) -> str:
        return f"{_TITLES[self.kind]} Top-{self.count}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        find = context.memory if self.kind == "neural-gist" else context.pages
        memory, done = await find(asked.document)
        if self.kind == "bm25":
            index = await context.once(asked.document, "bm25", lambda: _indexed(memory))
            ranked = list(map(int, np.argsort(-np.asarray(index.scores(asked.question.shown())), kind="stable")))
        else:
            ranked = await _nearest(memory, asked.question, context, by_gist=self.kind == "neural-gist")
        return replace(await context.show(memory, ranked[: self.count], asked.question), preparation=done)


async def _indexed(memory: GistMemory) -> Bm25:
    return Bm25([memory.page_text(page.number) for page in memory.pages])


@dataclass(frozen=True, slots=True)
class GistMemMethod:
    """Shows the gists; the model chooses no pages. The ``nearest`` ones by vectors are opened, none by default."""

    nearest: int = 0

    @property
    def name(self) -> str:
        return f"gistmem+neural:{self.nearest}" if self.nearest else "gistmem"

    @property
    def title(self) -> str:
        return f"GistMem + Neural Top-{self.nearest}" if self.nearest else "GistMem"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        if not self.nearest:
            return replace(await context.ask(asked, replace(context.plan, look_up="none")), pages=None)
        memory, done = await context.memory(asked.document)
        opened = sorted((await _nearest(memory, asked.question, context))[: self.nearest])
        return replace(await context.answer(memory, opened, asked.question), preparation=done)


async def _nearest(
    memory: GistMemory, question: Question, context: ReadingContext, *, by_gist: bool = False
) -> list[int]:
    """Return the pages of a memory, the nearest to the question first."""
    texts = [gist.text for gist in memory.gists] if by_gist else [memory.page_text(p.number) for p in memory.pages]
    rows = await context.once(memory.document, ("vectors", by_gist), lambda: _whole_vectors(texts, context))
    (asked,) = await context.vectors([question.shown()])
    return [int(number) for number in np.argsort(-(rows @ asked), kind="stable")]


async def _whole_vectors(texts: Sequence[str], context: ReadingContext) -> Array:
    """Return one row per text: the mean of the rows of its passages."""
    cut = [passages(text) or [text] for text in texts]
    rows = await context.vectors([passage for text in cut for passage in text])
    ends = np.cumsum([len(text) for text in cut])
    return unit(np.stack([rows[end - len(text) : end].mean(axis=0) for text, end in zip(cut, ends, strict=True)]))


def make(kind: str, number: int) -> RetrievalMethod | GistMemMethod:
    if kind.startswith("gistmem"):
        return GistMemMethod(number)
    return RetrievalMethod(kind, number)
