"""ReadAgent itself: pages reopened all at once or one after the other; also on pages of equal length, and with gists
made for the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.plan import LookUp, Plan
from readagent.core.question import Question


@dataclass(frozen=True, slots=True)
class ReadAgentMethod:
    """``most`` pages are reopened, at most."""

    kind: str
    most: int

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.most}"

    @property
    def title(self) -> str:
        letter = "S" if self.kind == "readagent-s" else "P"
        pages = "1" if self.most == 1 else f"1-{self.most}"
        extra = {"uniform-p": ", uniform pages", "conditional-p": ", conditional gists"}.get(self.kind, "")
        return f"ReadAgent-{letter} {pages}{extra}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        plan = await self._reading(document, question, desk)
        look_up: LookUp = "sequential" if self.kind == "readagent-s" else "parallel"
        memory = await desk.memory(document, plan)
        return await desk.ask(memory, question, replace(plan, look_up=look_up, max_pages=self.most))

    async def _reading(self, document: Document, question: Question, desk: Desk) -> Plan:
        if self.kind == "conditional-p":
            return replace(desk.plan, task=question.shown())
        if self.kind == "uniform-p":  # as long as the model's own pages are on average, so that pages alone differ
            paused = await desk.memory(document)
            return replace(desk.plan, pauses="uniform").scaled(max(1, round(paused.full_words / len(paused.pages))))
        return desk.plan


def make(kind: str, number: int) -> ReadAgentMethod:
    return ReadAgentMethod(kind, number)
