"""Judge the options of a question, and claims, by the passages that were found."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from readagent.core.question import Question
from readagent.embedded.extracts import AnyReader
from readagent.retrieval.evidence import Passage
from readagent.retrieval.terms import terms
from readagent.retrieval.vectors import Array

_TRUE = 1.5  # nearness of the best passage plus shared words from which a claim is called true
_WORDS = 0.5  # weight of shared words, relative to similarity
_READ = 4  # passages that options are judged by
_CLAIM = 0.5  # how likely a judgement of a claim is right: on claims that change one fact, it is right by chance alone


async def choose(question: Question, passages: Sequence[Passage], reader: AnyReader) -> tuple[int, float]:
    """Return the index of the option that the passages support best, and how likely it is right."""
    if not passages:
        return 0, 1 / len(question.options)
    texts = [passage.text for passage in passages[:_READ]]
    scores = (await reader.judge(question.text, question.options, texts)).max(axis=1)
    shares = np.exp(scores - scores.max())
    best = int(np.argmax(shares))
    return best, float(shares[best] / shares.sum())


def is_supported(claim: str, passages: Sequence[Passage]) -> tuple[bool, float]:
    """Return whether passages support a claim, and how likely that is right, which is never certain.

    A claim is supported if the best passage is near, and if the passages contain most of its words.
    """
    if not passages:
        return False, _CLAIM
    claimed = set(terms(claim))
    found = claimed.intersection(term for passage in passages for term in terms(passage.text))
    near = [passage.similar for passage in passages] + _WORDS * _overlap(claim, [passage.text for passage in passages])
    score = float(near.max()) + len(found) / max(1, len(claimed)) - _TRUE
    return score >= 0, _CLAIM


def _overlap(claim: str, texts: Sequence[str]) -> Array:
    """Return the share of the claim's terms that each text contains; rare terms count more."""
    claimed = set(terms(claim))
    own = [claimed.intersection(terms(text)) for text in texts]
    spread = {term: sum(term in one for one in own) for term in claimed}
    weight = {term: 1 / (1 + spread[term]) for term in claimed}
    total = fsum(weight.values()) or 1.0
    return np.asarray([fsum(weight[term] for term in one) / total for one in own], np.float32)
