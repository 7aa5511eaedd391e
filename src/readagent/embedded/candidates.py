"""The passages of a few pages that are nearest to a question, by their vectors and shared words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from readagent.core.memory import GistMemory
from readagent.core.model import Embedder
from readagent.retrieval.passages import passage_spans, passages
from readagent.retrieval.terms import terms
from readagent.retrieval.vectors import Array, vectors_of

_WORDS = 0.5  # weight of shared words, relative to vector similarity


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim piece of a page, and how near it is to the question."""

    page: int
    text: str
    near: float


async def nearest_passages(
    memory: GistMemory, pages: Sequence[int], question: str, embedder: Embedder, *, most: int
) -> list[Passage]:
    """Return the passages of these pages that are nearest to the question, nearest first."""
    raw = {page: memory.page_text(page) for page in pages}
    cut = [(page, text[a:b]) for page, text in raw.items() for a, b in passage_spans(text)]
    if not cut:
        return []
    known = [passage for text in raw.values() for passage in passages(text)]  # with vectors from reading
    rows = await vectors_of([question, *known], embedder)
    near = rows[1:] @ rows[0] + _WORDS * term_overlap(question, known)
    order = np.argsort(-near, kind="stable")[:most]
    return [Passage(cut[i][0], cut[i][1], float(near[i])) for i in order]


def term_overlap(question: str, texts: Sequence[str]) -> Array:
    """Return the share of the question's terms that each text contains; rare terms count more."""
    asked = set(terms(question))
    own = [asked.intersection(terms(text)) for text in texts]
    spread = {term: sum(term in one for one in own) for term in asked}
    weight = {term: 1 / (1 + spread[term]) for term in asked}
    total = fsum(weight.values()) or 1.0
    return np.asarray([fsum(weight[term] for term in one) / total for one in own], np.float32)
