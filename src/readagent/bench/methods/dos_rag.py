"""DOS-RAG: small chunks, the nearest to the question up to a budget of tokens, put back into the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from readagent.bench.desk import Desk, excerpt
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.words import estimate_tokens
from readagent.retrieval.passages import passages
from readagent.retrieval.vectors import Array

CHUNK_WORDS = 75  # about a hundred tokens, in whole sentences


@dataclass(frozen=True, slots=True)
class DosRagMethod:
    """Chunks are taken, the nearest first, while they fit ``tokens``; the nearest always is."""

    tokens: int

    @property
    def name(self) -> str:
        return f"dos-rag:{self.tokens}"

    @property
    def title(self) -> str:
        return f"DOS-RAG, {self.tokens:,} tokens"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        chunks, rows = await desk.once(document, ("chunks", CHUNK_WORDS), lambda: _chunks(document, desk))
        (asked,) = await desk.vectors([question.shown()])
        taken: list[int] = []
        room = self.tokens
        for number in np.argsort(-(rows @ asked), kind="stable"):
            room -= estimate_tokens(chunks[number])
            if room < 0 and taken:
                break
            taken.append(int(number))
        shown = excerpt(document, ["\n\n".join(chunks[number] for number in sorted(taken))])
        return replace(await desk.answer(shown, [0], question), pages=None)


async def _chunks(document: Document, desk: Desk) -> tuple[list[str], Array]:
    chunks = passages(document.text, CHUNK_WORDS)
    return chunks, await desk.vectors(chunks)


def make(kind: str, number: int) -> DosRagMethod:
    return DosRagMethod(number)
