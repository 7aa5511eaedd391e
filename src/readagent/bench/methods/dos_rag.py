"""DOS-RAG: the chunks nearest to the question, up to a number of tokens, shown in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.example import Asked, Outcome
from readagent.bench.reading import ReadingContext, excerpt
from readagent.core.document import Document
from readagent.core.tokens import estimate_tokens
from readagent.retrieval.passages import passages
from readagent.retrieval.vectors import Array

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
        chunks, rows = await context.once(
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
        shown = excerpt(asked.document, ["\n\n".join(chunks[number] for number in sorted(taken))])
        return replace(await context.answer(shown, [0], asked.question), pages=None)


async def _chunks(document: Document, context: ReadingContext) -> tuple[list[str], Array]:
    chunks = passages(document.text, CHUNK_WORDS)
    return chunks, await context.vectors(chunks)


def make(kind: str, number: int) -> DosRagMethod:
    return DosRagMethod(number)
