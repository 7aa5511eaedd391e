"""DOS-RAG: the chunks nearest to the question, up to a number of tokens, in the order of the text; or those of BM25."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from readagent.core.tokens import estimate_tokens
from readagent.core.words import count_words
from readagent.retrieval.bm25 import Bm25, passage_spans, passages
from readagent.retrieval.vectors import Array
from readagent_bench.reading import ReadingContext, excerpt, most_that_fit
from readagent_bench.records import Asked, Outcome

Span = tuple[int, int]
CHUNK_WORDS = 75  # about a hundred tokens, in whole sentences


@dataclass(frozen=True, slots=True)
class DosRagMethod:
    """Takes chunks, the nearest first, while they fit ``tokens``; the nearest one always.

    If they do not fit the window, those that are farthest are left out, which is noted. What fits is decided as for the
    full text: a window that the user gave has room for three words in four tokens, unless the server refuses them.
    With ``by_words`` they are ranked by BM25, which needs no embedder.
    """

    tokens: int
    by_words: bool = False

    @property
    def name(self) -> str:
        return f"{'bm25-chunks' if self.by_words else 'dos-rag'}:{self.tokens}"

    @property
    def title(self) -> str:
        return f"{'BM25 chunks' if self.by_words else 'DOS-RAG'}, {self.tokens:,} tokens"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        text = asked.document.text
        chunks, spans = passages(text, CHUNK_WORDS), passage_spans(text, CHUNK_WORDS)
        nearest = np.argsort(-await self._scores(chunks, asked, context), kind="stable").tolist()
        wanted = _within(nearest, list(map(estimate_tokens, chunks)), self.tokens)
        given = context.agent.settings.window
        most = wanted if given is None else _within(wanted, list(map(count_words, chunks)), given * 3 // 4)

        async def attempt(number: int, sure: bool) -> Outcome:
            taken = sorted(wanted[:number])
            shown, cut = excerpt(asked.document, _joined(spans, taken)), len(taken) < len(chunks)
            return await context.answer(shown, range(len(shown.pages)), asked.question, excerpts=cut, sure=sure)

        number, outcome = await most_that_fit(len(most), attempt, sure=given is not None)
        left_out = len(wanted) - number
        notes = (f"left out {left_out} of {len(wanted)} chunks to fit the window",) if left_out else ()
        return replace(outcome, pages=None, notes=notes)

    async def _scores(self, chunks: Sequence[str], asked: Asked, context: ReadingContext) -> Array:
        """Return how near each chunk is to the question."""
        if self.by_words:
            index = await context.once(asked.document, ("words of chunks", CHUNK_WORDS), lambda: _indexed(chunks))
            return np.asarray(index.scores(asked.question.shown()), np.float32)
        rows = await context.once(asked.document, ("chunks", CHUNK_WORDS), lambda: context.vectors(chunks))
        (vector,) = await context.vectors([asked.question.shown()])
        nearness: Array = rows @ vector
        return nearness


def _within(ranked: Sequence[int], sizes: Sequence[int], most: int) -> list[int]:
    """Return the first of these chunks, as many as have this size together; the first one always."""
    ends = accumulate(sizes[number] for number in ranked)
    return [number for place, (number, end) in enumerate(zip(ranked, ends, strict=True)) if end <= most or not place]


def _joined(spans: Sequence[Span], taken: Sequence[int]) -> list[Span]:
    """Return the spans of the chunks that were taken; neighbours are one excerpt."""
    joined: list[Span] = []
    for number in taken:
        start, end = spans[number]
        if joined and number - 1 in taken:
            start = joined.pop()[0]
        joined.append((start, end))
    return joined


async def _indexed(chunks: Sequence[str]) -> Bm25:
    return Bm25(chunks)


def make(kind: str, number: int) -> DosRagMethod:
    return DosRagMethod(number, by_words=kind == "bm25-chunks")
