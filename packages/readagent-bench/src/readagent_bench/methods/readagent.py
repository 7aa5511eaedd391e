"""ReadAgent: opens pages all at once, one after another, or if the gists do not answer.

Variants use pages of equal length, gists written for the question, or a text that is read as it grows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.conversation import TALK
from readagent.core.plan import LookUp, Plan
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext

_LOOK_UPS: dict[str, LookUp] = {"readagent-s": "sequential", "readagent-direct": "direct"}
_EXTRA = {"uniform-p": ", uniform pages", "conditional-p": ", conditional gists", "conversation": ", as it grew"}


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
        letter = {"readagent-s": "S", "readagent-direct": "direct"}.get(self.kind, "P")
        pages = "1" if self.most == 1 else f"1-{self.most}"
        return f"ReadAgent-{letter} {pages}{_EXTRA.get(self.kind, '')}"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        plan = await self._reading(asked, context)
        look_up: LookUp = _LOOK_UPS.get(self.kind, "parallel")
        growing = self.kind == "conversation"
        memories = await (context.grown(asked.document, plan) if growing else context.memories(asked.document, plan))
        plan = replace(plan, look_up=look_up, max_pages=self.most)
        outcome = await context.ask(memories, asked.question, plan)
        if self.kind != "conditional-p" or outcome.preparation is None:
            return outcome
        return replace(outcome, preparation=replace(outcome.preparation, for_question=True))

    async def _reading(self, asked: Asked, context: ReadingContext) -> Plan:
        if self.kind == "conditional-p":
            return replace(context.plan, task=asked.question.shown())
        if self.kind == "conversation":
            return replace(context.plan, recent=context.plan.recent or TALK.recent)
        if self.kind == "uniform-p":  # as long as the model's own pages on average, so that only the pauses differ
            paused = (await context.memories(asked.document)).whole
            return replace(context.plan, pauses="uniform").scaled(max(1, round(paused.full_words / len(paused.pages))))
        return context.plan


def make(kind: str, number: int) -> ReadAgentMethod:
    return ReadAgentMethod(kind, number)
