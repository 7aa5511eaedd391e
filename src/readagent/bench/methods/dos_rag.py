"""DOS-RAG: the chunks nearest to the question, up to a number of tokens, shown in the order of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.example import Asked, Outcome
from readagent.bench.reading import ReadingContext, excerpt
from readagent.core.document import Document
from readagent.core.tokens import estimate_tokens
from readagent.retrieval.passages import passage_spans, passages
from readagent.retrieval.vectors import Array

Span = tuple[int, int]
CHUNK_WORDS = 75  # about a hundred tokens, in whole sentences


@dataclass(frozen=True, slots=True)
class DosRagMethod:
    """Takes chunks, the nearest first, while they fit ``tokens``; the nearest one always."""

    tokens: int

    @property
    def name(self) -> str:
        return f"dos-rag:{self.tokens}"

    @property
    def title(self) -> str:
        return f"DOS-RAG, {self.tokens:,} tokens"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        chunks, spans, rows = await context.once(
            asked.document, ("chunks", CHUNK_WORDS), lambda: _chunks(asked.document, context)
        )
        (vector,) = await context.vectors([asked.question.shown()])
        taken: list[int] = []
        room = self.tokens
        for number in np.argsort(-(rows @ vector), kind="stable"):
            room -= estimate_tokens(chunks[number])
            if room < 0 and taken:
                break
            taken.append(int(number))
        shown = excerpt(asked.document, _joined(spans, sorted(taken)))
        cut = len(taken) < len(chunks)
        outcome = await context.answer(shown, range(len(shown.pages)), asked.question, excerpts=cut)
        return replace(outcome, pages=None)


def _joined(spans: Sequence[Span], taken: Sequence[int]) -> list[Span]:
    """Return the spans of the chunks that were taken; neighbours are one excerpt."""
    joined: list[Span] = []
    for number in taken:
        start, end = spans[number]
        if joined and number - 1 in taken:
            start = joined.pop()[0]
        joined.append((start, end))
    return joined


async def _chunks(document: Document, context: ReadingContext) -> tuple[list[str], list[Span], Array]:
    chunks = passages(document.text, CHUNK_WORDS)
    return chunks, passage_spans(document.text, CHUNK_WORDS), await context.vectors(chunks)


def make(kind: str, number: int) -> DosRagMethod:
    return DosRagMethod(number)
