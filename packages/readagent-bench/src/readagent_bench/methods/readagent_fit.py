"""ReadAgent-P within a number of tokens: half for the gists, the rest for the pages that the model opens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from readagent.core.tokens import estimate_tokens
from readagent.core.words import count_words
from readagent_bench.example import Asked, Outcome
from readagent_bench.reading import ReadingContext

_SAMPLE = 40_000  # characters used to estimate the tokens per word


@dataclass(frozen=True, slots=True)
class ReadAgentFitMethod:
    """Shows at most ``tokens`` of gists and pages. Their sizes follow from that, as from a window of that size."""

    tokens: int

    @property
    def name(self) -> str:
        return f"readagent-fit:{self.tokens}"

    @property
    def title(self) -> str:
        return f"ReadAgent-P, {self.tokens:,} tokens"

    async def answer(self, asked: Asked, context: ReadingContext) -> Outcome:
        sample = asked.document.text[:_SAMPLE]
        half = max(1, round(self.tokens / 2 * count_words(sample) / max(1, estimate_tokens(sample))))
        plan = replace(context.plan, memory_words=half, scale=True)
        memories = await context.memories(asked.document, plan, self.tokens)
        most = ceil(half / memories.whole.plan.page_words)
        plan = replace(plan, look_up="parallel", max_pages=most, by_importance=True, scale=False)
        return await context.ask(memories, asked.question, plan, self.tokens)


def make(kind: str, number: int) -> ReadAgentFitMethod:
    return ReadAgentFitMethod(number)
