"""Page hints by words: BM25 over the raw pages.

Adding BM25 scores of passages and gists did not help on the meetings it was tried on. With vectors it does, see
`hybrid`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean
from typing import Generic, TypeVar

from readagent.core.memory import GistMemory
from readagent.core.model import Hint, Hinter
from readagent.core.question import Question
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.terms import subject

T = TypeVar("T")

_OPTION = 0.5  # weight of the best option's score, relative to the question's own
_CACHED = 4  # memories


class WordHinter:
    """Finds pages that share words with a question."""

    def __init__(self) -> None:
        self._indices = MemoryCache(_build_index)

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        index = await self._indices.get(memory)
        return rank_pages([_centred(index.scores(subject(text))) for text in search_texts(question)])


class LazyHinter:
    """A hinter that is made when it is first asked."""

    def __init__(self, make: Callable[[], Hinter]) -> None:
        self._make = make
        self._made: Hinter | None = None

    async def hints(self, memory: GistMemory, question: Question) -> Sequence[Hint]:
        """Return what the hinter finds."""
        self._made = self._made or self._make()
        return await self._made.hints(memory, question)


class MemoryCache(Generic[T]):
    """Caches what ``make`` returns for a memory, for the few memories that were used last."""

    def __init__(self, make: Callable[[GistMemory], Awaitable[T]]) -> None:
        self._make = make
        self._cached: OrderedDict[tuple[object, ...], T] = OrderedDict()
        self._lock = asyncio.Lock()

    async def get(self, memory: GistMemory) -> T:
        """Return the cached value, or make it. Memories of one reading with the same pages share an entry."""
        key = (memory.document.id, memory.key, *(page.end for page in memory.pages))
        async with self._lock:
            if key not in self._cached:
                self._cached[key] = await self._make(memory)
            self._cached.move_to_end(key)
            if len(self._cached) > _CACHED:
                self._cached.popitem(last=False)
            return self._cached[key]


def search_texts(question: Question) -> list[str]:
    """Return the texts to search for: the question, and the question with each of its options."""
    return [question.text, *(f"{question.text} {option}" for option in question.options)]


def rank_pages(scores_by_text: Sequence[Sequence[float]]) -> list[Hint]:
    """Rank pages by their scores for the question, plus those for their best option.

    The first item has the scores of all pages for the question, each further item those for one option.
    """
    own, *options = scores_by_text
    best = [max(values) for values in zip(*options, strict=True)] if options else [0.0] * len(own)
    scores = [float(score + _OPTION * other) for score, other in zip(own, best, strict=True)]
    order = sorted(range(len(scores)), key=lambda number: (-scores[number], number))
    return [Hint(number, scores[number]) for number in order]


async def _build_index(memory: GistMemory) -> Bm25:
    return await asyncio.to_thread(Bm25, (memory.page_text(page.number) for page in memory.pages))


def _centred(scores: Sequence[float]) -> list[float]:
    """Subtract the mean, so that an average page scores 0."""
    mean = fmean(scores) if scores else 0.0
    return [score - mean for score in scores]
