"""Pages, turns and documents for a question, by words: BM25 over raw pages, turns of a conversation, and cards."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from statistics import fmean
from typing import Generic, TypeVar

from readagent.core.chat import turns_of
from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint, Hinter
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import Card
from readagent.retrieval.bm25 import Bm25, subject

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


_PAGE = 0.5  # weight of the page's score, relative to the turn's own
_MOST = 12  # turns


def wanted_turns(memory: GistMemory, question: str, hints: Sequence[Hint]) -> list[tuple[int, int]]:
    """Return the start and end of the turns that a question is about, best first, each followed by the reply to it.

    Where no turn shares a word with the question, those of the best page are returned.
    """
    turns = turns_of(memory.document)
    own = Bm25(turn.text for turn in turns).scores(question)
    pages = [memory.page_at(turn.start) for turn in turns]
    found = {hint.page: hint.score for hint in hints if hint.score > 0}
    best, most = max(own, default=0.0), max(found.values(), default=1.0)
    if best:
        scores = {n: score / best + _PAGE * found.get(pages[n], 0.0) / most for n, score in enumerate(own) if score}
        chosen = sorted(scores, key=lambda number: -scores[number])[:_MOST]
    else:
        first = max(found, key=lambda page: found[page], default=None)
        chosen = [number for number, page in enumerate(pages) if page == first]
    with_replies = (reply for number in chosen for reply in (number, number + 1) if reply < len(turns))
    return [(turns[number].start, turns[number].end) for number in dict.fromkeys(with_replies)]


_OFFSET = 20  # of reciprocal rank fusion: the higher, the less the top ranks dominate


def fuse_rankings(rankings: Iterable[Sequence[str]]) -> list[str]:
    """Combine rankings by reciprocal rank fusion."""
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, name in enumerate(ranking):
            scores[name] += 1 / (_OFFSET + rank)
    return sorted(scores, key=lambda name: -scores[name])


async def rank_by_meaning(cards: Sequence[Card], question: Question, embedder: Embedder, most: int) -> list[str]:
    """Return the documents whose cards are most similar to the question, best first."""
    import numpy as np

    from readagent.retrieval.vectors import vectors_of

    asked = await vectors_of(search_texts(question), embedder)
    rows = await vectors_of([card_text(card) for card in cards], embedder)
    similarity = (rows @ asked.T).max(axis=1)
    return [cards[i].document for i in np.argsort(-similarity, kind="stable")[:most]]


def card_text(card: Card) -> str:
    """Return the text of a card that is embedded."""
    return card.shown()
