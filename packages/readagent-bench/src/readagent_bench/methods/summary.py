"""Summaries: written over all gists, as ``readagent summary`` does, or simply the first words of the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from readagent.core.overviews.write import summarize
from readagent.core.window import Window
from readagent.core.words import WordIndex, count_words
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext


@dataclass(frozen=True, slots=True)
class SummaryMethod:
    """Writes about ``words`` words from all gists, and checks every statement.

    A question that asks for more than a summary is what the text is about.
    """

    words: int

    @property
    def name(self) -> str:
        return f"summary:{self.words}"

    @property
    def title(self) -> str:
        return f"Summary, {self.words} words"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        memories = await context.memories(asked.document)

        async def attempt(window: Window) -> Outcome:
            session = await context.session(replace(context.plan, check=True), window)
            made = await summarize(memories.whole, session, words=self.words, about=asked.question.text)
            return Outcome(made.text, None, None, memories.whole.words(), memories.preparation())

        return await context.agent.connection.within_window(attempt)


@dataclass(frozen=True, slots=True)
class LeadMethod:
    """The first ``words`` words of the text, without a model: what any summary should surpass."""

    words: int

    @property
    def name(self) -> str:
        return f"lead:{self.words}"

    @property
    def title(self) -> str:
        return f"Lead, {self.words} words"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        text = asked.document.text
        index = WordIndex(text)
        lead = text[: index.after(0, self.words)] if self.words < len(index) else text
        return Outcome(" ".join(lead.split()), None, None, count_words(lead))


def make(kind: str, number: int) -> SummaryMethod | LeadMethod:
    return LeadMethod(number) if kind == "lead" else SummaryMethod(number)
