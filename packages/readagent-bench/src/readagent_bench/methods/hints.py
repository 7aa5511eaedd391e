"""The pages that hints rank highest, by words and, with an embedder, by vectors; shown in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class HintsMethod:
    """Shows ``count`` pages in full and nothing else."""

    count: int

    @property
    def name(self) -> str:
        return f"hints:{self.count}"

    @property
    def title(self) -> str:
        return f"Hints Top-{self.count}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memories = await context.memories(asked.document)
        hints = await context.hinter.hints(memories.fitted, asked.question)
        outcome = await context.show(memories.fitted, [hint.page for hint in hints[: self.count]], asked.question)
        return replace(outcome, preparation=memories.preparation())


def make(kind: str, number: int) -> HintsMethod:
    return HintsMethod(number)
