"""ReadAgent itself: pages reopened all at once, one after the other, or as need be; also on pages of equal length, with
gists made for the question, with hints, and of a text that was read as it grew."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.conversation import TALK
from readagent.core.document import Document
from readagent.core.plan import LookUp, Plan
from readagent.core.question import Question

_LOOK_UPS: dict[str, LookUp] = {"readagent-s": "sequential", "readagent-auto": "auto"}
_EXTRA = {"uniform-p": ", uniform pages", "conditional-p": ", conditional gists", "conversation": ", as it grew"}
_HINTED = ("readagent-p+hints", "readagent-auto")


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
        letter = {"readagent-s": "S", "readagent-auto": "auto"}.get(self.kind, "P")
        pages = "1" if self.most == 1 else f"1-{self.most}"
        extra = ", hints" if self.kind in _HINTED else _EXTRA.get(self.kind, "")
        return f"ReadAgent-{letter} {pages}{extra}"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        plan = await self._reading(document, question, desk)
        look_up: LookUp = _LOOK_UPS.get(self.kind, "parallel")
        growing = self.kind == "conversation"
        memories = await (desk.grown(document, plan) if growing else desk.memories(document, plan))
        plan = replace(plan, look_up=look_up, max_pages=self.most, hints=self.kind in _HINTED)
        if look_up == "auto":  # it goes by whether the quotes of an answer stand in the text
            plan = replace(plan, quotes=True)
        outcome = await desk.ask(memories, question, plan)
        if self.kind != "conditional-p" or outcome.reading is None:
            return outcome
        return replace(outcome, reading=replace(outcome.reading, own=True))

    async def _reading(self, document: Document, question: Question, desk: Desk) -> Plan:
        if self.kind == "conditional-p":
            return replace(desk.plan, task=question.shown())
        if self.kind == "conversation":
            return replace(desk.plan, recent=desk.plan.recent or TALK.recent)
        if self.kind == "uniform-p":  # as long as the model's own pages are on average, so that pages alone differ
            paused = (await desk.memories(document)).whole
            return replace(desk.plan, pauses="uniform").scaled(max(1, round(paused.full_words / len(paused.pages))))
        return desk.plan


def make(kind: str, number: int) -> ReadAgentMethod:
    return ReadAgentMethod(kind, number)
