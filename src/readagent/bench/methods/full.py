"""The text itself: the whole of it, or its first or last words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.bench.example import Asked, Outcome
from readagent.bench.reading import ReadingContext, excerpt
from readagent.core.words import WordIndex


@dataclass(frozen=True, slots=True)
class FullTextMethod:
    """Shows the ``first`` or ``last`` words of the text, or all of it if ``words`` is 0."""

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

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        text = asked.document.text
        start, end = self._span(text)
        shown, cut = excerpt(asked.document, [(start, end)]), bool(text[:start].strip() or text[end:].strip())
        return replace(await context.answer(shown, [0], asked.question, excerpts=cut), pages=None)

    def _span(self, text: str) -> tuple[int, int]:
        index = WordIndex(text)
        if not self.words or self.words >= len(index):
            return 0, len(text)
        if self.end == "first":
            return 0, index.after(0, self.words)
        return index.after(0, len(index) - self.words), len(text)


def make(kind: str, number: int) -> FullTextMethod:
    return FullTextMethod() if kind == "full" else FullTextMethod(kind, number)
