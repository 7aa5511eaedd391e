"""The gists alone, or with the pages nearest to the question in full in their places."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Outcome
from readagent.bench.methods.neural import nearest
from readagent.core.document import Document
from readagent.core.question import Question


@dataclass(frozen=True, slots=True)
class GistMemMethod:
    """No page is asked for; ``nearest`` pages are opened by their vectors, none by default."""

    nearest: int = 0

    @property
    def name(self) -> str:
        return f"gistmem+neural:{self.nearest}" if self.nearest else "gistmem"

    @property
    def title(self) -> str:
        return f"GistMem + Neural Top-{self.nearest}" if self.nearest else "GistMem"

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        memories = await desk.memories(document)
        if not self.nearest:
            outcome = await desk.ask(memories, question, replace(desk.plan, look_up="none"))
            return replace(outcome, pages=None)
        opened = sorted((await nearest(memories.fitted, question, desk))[: self.nearest])
        return replace(await desk.answer(memories.fitted, opened, question), reading=memories.read())


def make(kind: str, number: int) -> GistMemMethod:
    return GistMemMethod(number if kind == "gistmem+neural" else 0)
