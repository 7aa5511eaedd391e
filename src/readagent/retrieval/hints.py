"""Pages, turns and documents for a question, by words: BM25 over raw pages, turns of a conversation, and cards."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from math import fsum
from statistics import fmean, pstdev
from typing import Generic, TypeVar

from readagent.core.chat import turns_of
from readagent.core.memory import GistMemory
from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import Card
from readagent.retrieval.bm25 import Bm25, passages, subject

T = TypeVar("T")

_OPTION = 0.5  # weight of the best option's score, relative to the question's own
_CACHED = 4  # memories
_GIST = 0.5  # weight of the gist, relative to the page and to its best passage
_NO_SPREAD = 1e-9


class WordHinter:
    """Finds pages that share words with a question: as a whole, in their best passage, and in their gists."""

    def __init__(self) -> None:
        self._indices = MemoryCache(_build_index)

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        """Return all pages, best first."""
        index = await self._indices.get(memory)
        return rank_pages([index.scores(subject(text)) for text in search_texts(question)])

    async def passages(self, memory: GistMemory, texts: Sequence[str], pages: Sequence[int]) -> dict[int, str]:
        """Return the passage of each of these pages that shares most words with one of the texts."""
        return (await self._indices.get(memory)).nearest([subject(text) for text in texts], pages)


class WordIndex:
    """An index of the words of pages, of their passages and of their gists."""

    def __init__(self, pages: Sequence[str], gists: Sequence[str]) -> None:
        self._split = split = [passages(page) for page in pages]
        self._pages, self._gists = Bm25(pages), Bm25(gists)
        self._passages = Bm25(passage for own in split for passage in own)

    def scores(self, text: str) -> list[float]:
        """Return the score of each page: an average one has 0."""
        best, found = list[float](), iter(self._passages.scores(text))
        for own in self._split:
            best.append(max((next(found) for _ in own), default=0.0))
        measures = [(1.0, self._pages.scores(text)), (1.0, best), (_GIST, self._gists.scores(text))]
        return [fsum(values) for values in zip(*(_standardized(own, weight) for weight, own in measures), strict=True)]

    def nearest(self, texts: Sequence[str], pages: Sequence[int]) -> dict[int, str]:
        """Return the passage of each of these pages that is best for one of the texts."""
        scores = [self._passages.scores(text) for text in texts]
        best = [max(own, default=0.0) or 1.0 for own in scores]
        found = iter(
            max(one / most for one, most in zip(all_of, best, strict=True)) for all_of in zip(*scores, strict=True)
        )
        scored = [[(next(found), -at, one) for at, one in enumerate(own)] for own in self._split]
        return {page: max(scored[page], default=(0.0, 0, ""))[2] for page in pages}


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


async def _build_index(memory: GistMemory) -> WordIndex:
    pages = [memory.page_text(page.number) for page in memory.pages]
    return await asyncio.to_thread(WordIndex, pages, [gist.text for gist in memory.gists])


def _standardized(scores: Sequence[float], weight: float) -> list[float]:
    """Return scores with mean 0 and standard deviation ``weight``; all 0 if they do not differ."""
    spread = pstdev(scores) if scores else 0.0
    mean = fmean(scores) if scores else 0.0
    return [weight * (score - mean) / spread if spread > _NO_SPREAD else 0.0 for score in scores]


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
