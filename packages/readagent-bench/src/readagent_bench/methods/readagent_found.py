"""ReadAgent with the pages that a search finds open from the start: it answers, or asks for more pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class ReadAgentFoundMethod:
    """Opens the ``first`` nearest pages, and as many as the plan allows in all if the model asks for them."""

    first: int

    @property
    def name(self) -> str:
        return f"readagent-found:{self.first}"

    @property
    def title(self) -> str:
        return f"ReadAgent-direct, {self.first} found"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memories = await context.memories(asked.document)
        most = max(self.first, context.plan.max_pages)
        plan = replace(context.plan, look_up="direct", max_pages=most, open_first=self.first, hints=False)
        return await context.ask(memories, asked.question, plan)


def make(kind: str, number: int) -> ReadAgentFoundMethod:
    return ReadAgentFoundMethod(number)
