"""The gists alone, or with the pages nearest to the question opened in their places."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent_bench.example import Asked, Outcome
from readagent_bench.methods.neural import nearest
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class GistMemMethod:
    """The model chooses no pages; the ``nearest`` ones by vectors are opened, none by default."""

    nearest: int = 0

    @property
    def name(self) -> str:
        return f"gistmem+neural:{self.nearest}" if self.nearest else "gistmem"

    @property
    def title(self) -> str:
        return f"GistMem + Neural Top-{self.nearest}" if self.nearest else "GistMem"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memories = await context.memories(asked.document)
        if not self.nearest:
            outcome = await context.ask(memories, asked.question, replace(context.plan, look_up="none"))
            return replace(outcome, pages=None)
        opened = sorted((await nearest(memories.fitted, asked.question, context))[: self.nearest])
        outcome = await context.answer(memories.fitted, opened, asked.question)
        return replace(outcome, preparation=memories.preparation())


def make(kind: str, number: int) -> GistMemMethod:
    return GistMemMethod(number if kind == "gistmem+neural" else 0)
