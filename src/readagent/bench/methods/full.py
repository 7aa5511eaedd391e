"""The text itself: the whole of it, or its first or last words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.desk import Desk, excerpt
from readagent.bench.example import Outcome
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.core.words import WordIndex


@dataclass(frozen=True, slots=True)
class FullTextMethod:
    """``end`` is which end is shown, ``first`` or ``last``, and ``words`` how much of it; the whole where 0."""

    end: str = "first"
    words: int = 0

    @property
    def name(self) -> str:
        return f"{self.end}:{self.words}" if self.words else "full"

    @property
    def title(self) -> str:
        if not self.words:
            return "Full text"
        return f"{self.end.capitalize()} {self.words // 1000}k words" if self.words % 1000 == 0 else self.name

    async def answer(self, document: Document, question: Question, desk: Desk) -> Outcome:
        shown = excerpt(document, [self._part(document.text)])
        return replace(await desk.answer(shown, [0], question), pages=None)

    def _part(self, text: str) -> str:
        index = WordIndex(text)
        if not self.words or self.words >= len(index):
            return text
        if self.end == "first":
            return text[: index.after(0, self.words)]
        return text[index.after(0, len(index) - self.words) :]


def make(kind: str, number: int) -> FullTextMethod:
    return FullTextMethod() if kind == "full" else FullTextMethod(kind, number)
