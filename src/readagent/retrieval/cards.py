"""Find the documents of a shelf that are closest to a question, by their cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from readagent.core.model import Embedder
from readagent.core.question import Question
from readagent.core.shelf.records import Card
from readagent.retrieval.hints import search_texts

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
