"""Choose where to pause: at the label where the text before and after differ most."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from readagent.core.model import Embedder
from readagent.core.words import sentences
from readagent.retrieval.vectors import Array, unit, vectors_of

_AROUND = 8  # sentences that are compared on each side of a label
_SECTION = 2.0  # bonus for the start of a section: more than any similarity, which is between -1 and 1
_UNSEEN = 0.05  # penalty for the last label, if no text after it was shown
_NUMBERED = (
    r"(?:\d{1,4}|[ivxlc]{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third)"
)
_HEADING = re.compile(
    rf"^\W*(?:(?:chapter|part|book|section|act|scene|volume|canto)\s+(?:the\s+)?{_NUMBERED}\b(?:[.:—–-].{{0,80}}|\W*)"
    r"|prologue|epilogue|[IVXLC]{1,7}\.?|\d{1,3}\.?|[*#=~·•—–\s-]{1,20})\W*$",
    re.I,
)


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
    """Whether there is a heading or a row of stars between two pieces."""
    last, first = before.rstrip().rpartition("\n")[2], after.lstrip().partition("\n")[0]
    return bool(_HEADING.match(first) or (re.fullmatch(r"\W+", last) and len(last) < 20))
