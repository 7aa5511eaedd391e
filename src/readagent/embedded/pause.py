"""Where to pause: at the label where what follows has least to do with what precedes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from readagent.core.embedder import Embedder
from readagent.embedded.meaning import Array, understood, unit

_AROUND = 8  # sentences looked at on each side of a label
_SECTION = 2.0  # what the start of a section is worth: more than any likeness, which goes from -1 to 1
_UNSEEN = 0.05  # what is taken off the last label, after which nothing was shown
_NUMBERED = (
    r"(?:\d{1,4}|[ivxlc]{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third)"
)
_HEADING = re.compile(
    rf"^\W*(?:(?:chapter|part|book|section|act|scene|volume|canto)\s+(?:the\s+)?{_NUMBERED}\b(?:[.:—–-].{{0,80}}|\W*)"
    r"|prologue|epilogue|[IVXLC]{1,7}\.?|\d{1,3}\.?|[*#=~·•—–\s-]{1,20})\W*$",
    re.I,
)


async def best_pause(pieces: Sequence[str], labels: int, embedder: Embedder) -> int:
    """Which label, from 1, is the best to pause at; label k stands after piece k."""
    read = [await understood(piece, embedder) for piece in pieces]
    width = next((one.vectors.shape[1] for one in read if len(one.texts)), 1)
    rows = np.concatenate([one.vectors.reshape(-1, width) for one in read])
    ends = np.cumsum([len(one.texts) for one in read])
    scores = [_drop(rows, int(ends[i]), pieces[i], pieces[i + 1] if i + 1 < len(pieces) else "") for i in range(labels)]
    return int(np.argmax(scores)) + 1


def _drop(rows: Array, cut: int, before: str, after: str) -> float:
    """How little the sentences after a cut have to do with those before it; more where a section begins."""
    if cut >= len(rows):
        return -1.0 - _UNSEEN
    left, right = unit(rows[max(0, cut - _AROUND) : cut].mean(axis=0)), unit(rows[cut : cut + _AROUND].mean(axis=0))
    return _SECTION * starts_section(before, after) - float(left @ right)


def starts_section(before: str, after: str) -> bool:
    """Whether a heading or a row of stars stands between two pieces."""
    last, first = before.rstrip().rpartition("\n")[2], after.lstrip().partition("\n")[0]
    return bool(_HEADING.match(first) or (re.fullmatch(r"\W+", last) and len(last) < 20))
