"""ReadAgent: opens pages all at once, one after another, or if the gists do not answer.

Variants use pages of equal length, or gists written for the question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.plan import LookUp, Plan
from readagent_bench.reading import ReadingContext
from readagent_bench.records import Asked, Outcome

_LOOK_UPS: dict[str, LookUp] = {"readagent-s": "sequential", "readagent-direct": "direct"}
_LETTERS = {"readagent-s": "S", "readagent-direct": "direct"}
_EXTRA = {"uniform-p": ", uniform pages", "conditional-p": ", conditional gists"}


@dataclass(frozen=True, slots=True)
class ReadAgentMethod:
    """Opens up to ``most`` pages."""

    kind: str
    most: int

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.most}"

    @property
    def title(self) -> str:
        pages = "1" if self.most == 1 else f"1-{self.most}"
        return f"ReadAgent-{_LETTERS.get(self.kind, 'P')} {pages}{_EXTRA.get(self.kind, '')}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        plan = replace(
            await self._reading(asked, context), look_up=_LOOK_UPS.get(self.kind, "parallel"), max_pages=self.most
        )
        return await context.ask(asked, plan)

    async def _reading(self, asked: Asked, context: ReadingContext) -> Plan:
        if self.kind == "conditional-p":
            return replace(context.plan, task=asked.question.shown())
        if self.kind == "uniform-p":  # as long as the model's own pages on average, so that only the pauses differ
            paused, _ = await context.memory(asked.document)
            return replace(context.plan, pauses="uniform").scaled(max(1, round(paused.full_words / len(paused.pages))))
        return context.plan


def make(kind: str, number: int) -> ReadAgentMethod:
    return ReadAgentMethod(kind, number)
