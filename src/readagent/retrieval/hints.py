"""Hints by words: BM25 over the raw pages, with the standard library alone.

Adding BM25 of passages and gists was not better on the meetings it was tried on. With vectors it is: see `hybrid`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean
from typing import Generic, TypeVar

from readagent.core.memory import GistMemory
from readagent.core.model import Hint
from readagent.core.question import Question
from readagent.retrieval.plain_bm25 import PlainBm25

T = TypeVar("T")

_OPTION = 0.5  # what the best option's score counts beside the question's own
_KEPT = 4  # memories whose index is kept at hand


class WordHinter:
    """Finds pages by the words they share with a question."""

    def __init__(self) -> None:
        self._indices = Kept(_indexed)

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """All pages, the strongest first."""
        index = await self._indices.of(memory)
        return ranked([_above_the_mean(index.scores(text)) for text in texts_of(question)])


class Kept(Generic[T]):
    """What is made of a memory once, for the few that were asked about last."""

    def __init__(self, make: Callable[[GistMemory], Awaitable[T]]) -> None:
        self._make = make
        self._made: OrderedDict[tuple[object, ...], T] = OrderedDict()
        self._one_at_a_time = asyncio.Lock()

    async def of(self, memory: GistMemory) -> T:
        """Made now, or kept from before; the same for all memories of a reading with the same pages."""
        key = (memory.document.id, memory.key, *(page.end for page in memory.pages))
        async with self._one_at_a_time:
            if key not in self._made:
                self._made[key] = await self._make(memory)
            self._made.move_to_end(key)
            if len(self._made) > _KEPT:
                self._made.popitem(last=False)
            return self._made[key]


def texts_of(question: Question) -> list[str]:
    """What is searched for: the question, and the question with each of its options."""
    return [question.text, *(f"{question.text} {option}" for option in question.options)]


def ranked(measured: Sequence[Sequence[float]]) -> list[Hint]:
    """Pages by their scores for the question, and for the option that speaks most for them."""
    own, *options = measured
    best = [max(values) for values in zip(*options, strict=True)] if options else [0.0] * len(own)
    scores = [float(score + _OPTION * other) for score, other in zip(own, best, strict=True)]
    order = sorted(range(len(scores)), key=lambda number: (-scores[number], number))
    return [Hint(number, scores[number]) for number in order]


async def _indexed(memory: GistMemory) -> PlainBm25:
    return await asyncio.to_thread(PlainBm25, [memory.page_text(page.number) for page in memory.pages])


def _above_the_mean(scores: Sequence[float]) -> list[float]:
    """So that an ordinary page has about 0."""
    mean = fmean(scores) if scores else 0.0
    return [score - mean for score in scores]
