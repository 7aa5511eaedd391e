"""Finding cards: which documents of many are nearest to a question, from several rankings of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from readagent.core.model import Embedder
from readagent.core.question import Question
from readagent.core.shelf.records import Card
from readagent.retrieval.hints import texts_of

_EVEN = 20  # the higher, the less it counts to be the very first of one ranking


def fused(rankings: Iterable[Sequence[str]]) -> list[str]:
    """One ranking from several: what stands near the top of many of them comes first."""
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for place, name in enumerate(ranking):
            scores[name] += 1 / (_EVEN + place)
    return sorted(scores, key=lambda name: -scores[name])


async def by_meaning(cards: Sequence[Card], question: Question, embedder: Embedder, most: int) -> list[str]:
    """The documents whose cards mean most nearly what the question means, the nearest first."""
    import numpy as np

    from readagent.retrieval.vectors import vectors_of

    asked = await vectors_of(texts_of(question), embedder)
    rows = await vectors_of([meant(card) for card in cards], embedder)
    nearness = (rows @ asked.T).max(axis=1)
    return [cards[place].document for place in np.argsort(-nearness, kind="stable")[:most]]


def meant(card: Card) -> str:
    """What of a card is turned into a vector."""
    return card.shown()
