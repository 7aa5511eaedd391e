"""Judge the options of a question, and claims, by the passages that were found."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from readagent.core.question import Question
from readagent.embedded.candidates import Passage
from readagent.embedded.extracts import AnyReader
from readagent.retrieval.terms import terms

_TRUE = 1.5  # nearness of the best passage plus shared words from which a claim is called true
_READ = 4  # passages that options are judged by
_STEEP = 3.0  # how fast the certainty about a claim rises


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
    """Return whether passages, given nearest first, support a claim, and how likely that is right.

    This depends on how near the best passage is, and on how many of the claim's words they contain.
    """
    if not passages:
        return False, 0.5
    claimed = set(terms(claim))
    found = claimed.intersection(term for passage in passages for term in terms(passage.text))
    score = passages[0].near + len(found) / max(1, len(claimed)) - _TRUE
    return score >= 0, 1 / (1 + exp(-_STEEP * abs(score)))
