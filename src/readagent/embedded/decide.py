"""Decisions of the offline reader: pages to open, pauses, options."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from readagent.core.model import Embedder, Hint
from readagent.core.question import Question
from readagent.core.words import sentences
from readagent.embedded.extracts import AnyReader
from readagent.embedded.shorten import is_label, is_rule
from readagent.retrieval.evidence import Passage
from readagent.retrieval.vectors import Array, unit, vectors_of

_READ = 4  # passages that options are judged by


async def choose(question: Question, passages: Sequence[Passage], reader: AnyReader) -> tuple[int, float]:
    """Return the index of the option that the passages support best, and how likely it is right."""
    if not passages:
        return 0, 1 / len(question.options)
    texts = [passage.text for passage in passages[:_READ]]
    scores = (await reader.judge(question.text, question.options, texts)).max(axis=1)
    shares = np.exp(scores - scores.max())
    best = int(np.argmax(shares))
    return best, float(shares[best] / shares.sum())


_SHARE = 0.2  # of the best page's score that a page needs to be opened too
_MIN_SCORE = 0.05  # a page with a lower score is no better than an average one


def pages_to_open(hints: Sequence[Hint], most: int) -> list[int]:
    """Return the pages worth opening, best first: at least one, even if no page stands out."""
    least = _SHARE * hints[0].score
    return [hint.page for hint in hints[:most] if hint.score >= least] or [hints[0].page]


def next_page(hints: Sequence[Hint], opened: Collection[int]) -> int | None:
    """Return the best page that is not opened yet, or None if it is not relevant enough."""
    least = max(_SHARE * hints[0].score, _MIN_SCORE)
    best = next((hint for hint in hints if hint.page not in opened), None)
    return best.page if best is not None and best.score >= least else None


_AROUND = 8  # sentences that are compared on each side of a label
_SECTION = 2.0  # bonus for the start of a section: more than any similarity, which is between -1 and 1
_UNSEEN = 0.05  # penalty for the last label, if no text after it was shown


async def best_pause(pieces: Sequence[str], labels: int, embedder: Embedder) -> int:
    """Return the best label to pause at, counted from 1; label k is after piece k."""
    split = [sentences(piece) for piece in pieces]
    rows = await vectors_of([sentence for own in split for sentence in own], embedder)
    ends = np.cumsum([len(own) for own in split])
    starts = [i + 1 < len(pieces) and starts_section(pieces[i], pieces[i + 1]) for i in range(labels)]
    scores = [_difference(rows, int(ends[i])) + _SECTION * starts[i] for i in range(labels)]
    return int(np.argmax(scores)) + 1


def _difference(rows: Array, cut: int) -> float:
    """Return how different the sentences after a cut are from those before it: the negated similarity."""
    if cut >= len(rows):
        return -1.0 - _UNSEEN
    left, right = unit(rows[max(0, cut - _AROUND) : cut].mean(axis=0)), unit(rows[cut : cut + _AROUND].mean(axis=0))
    return -float(left @ right)


def starts_section(before: str, after: str) -> bool:
    """Whether there is a number or a row of stars between two pieces; headings are known from the document."""
    last, first = before.rstrip().rpartition("\n")[2], after.lstrip().partition("\n")[0]
    return is_rule(first) or is_rule(last) or is_label(first)


_YES_OR_NO = re.compile(
    r"\W*(?:and |but |so )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might"
    r"|must)"
    r"(?:n['’]t| not)?\s+(?!you (?:know|tell|say|explain|describe|name|list|show|find|give)\b)[^?]+\?*\W*$",
    re.I,
)
_ALTERNATIVE = re.compile(r"\bor\b(?! not\b)", re.I)


def why_no_extract(question: Question) -> str:
    """Return what to say instead of an extract that would read like an answer; "" if an extract can answer."""
    if _YES_OR_NO.match(question.text) and not _ALTERNATIVE.search(question.text):
        return "The offline reader does not say yes or no."
    return ""
