"""The pages that hints put first, by words and, with an embedder, by meaning; shown raw, in the order of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.question import Question


@dataclass(frozen=True, slots=True)
class HintsMethod:
    """``count`` pages are shown in full, and nothing else."""

    count: int

    @property
    def name(self) -> str:
        return f"hints:{self.count}"

    @property
    def title(self) -> str:
        return f"Hints Top-{self.count}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        memories = await desk.memories(document)
        hints = await desk.hinter.hints(memories.fitted, question)
        outcome = await desk.show(memories.fitted, [hint.page for hint in hints[: self.count]], question)
        return replace(outcome, reading=memories.read())


def make(kind: str, number: int) -> HintsMethod:
    return HintsMethod(number)
