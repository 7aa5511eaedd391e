"""Choose where to pause: at the label where the text before and after differ most."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from readagent.core.model import Embedder
from readagent.core.words import WordIndex, truncate
from readagent.embedded.sentences import LikelihoodGain, embed_sentences
from readagent.retrieval.vectors import Array, unit

_AROUND = 8  # sentences that are compared on each side of a label
_SECTION = 2.0  # bonus for the start of a section: more than any similarity, which is between -1 and 1
_UNSEEN = 0.05  # penalty for the last label, if no text after it was shown
_CANDIDATES = 6  # labels that are compared by likelihood, if enabled: each takes seconds
_BEFORE, _AFTER = 60, 18  # words before and after a label that are used for it
_NUMBERED = (
    r"(?:\d{1,4}|[ivxlc]{1,7}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third)"
)
_HEADING = re.compile(
    rf"^\W*(?:(?:chapter|part|book|section|act|scene|volume|canto)\s+(?:the\s+)?{_NUMBERED}\b(?:[.:—–-].{{0,80}}|\W*)"
    r"|prologue|epilogue|[IVXLC]{1,7}\.?|\d{1,3}\.?|[*#=~·•—–\s-]{1,20})\W*$",
    re.I,
)


async def best_pause(
    pieces: Sequence[str],
    labels: int,
    embedder: Embedder,
    gain: LikelihoodGain | None = None,
) -> int:
    """Return the best label to pause at, counted from 1; label k is after piece k.

    With ``gain``, the few labels that are best by meaning are compared by likelihood: the label is chosen where the
    text before it helps least to predict the text after it.
    """
    read = [await embed_sentences(piece, embedder) for piece in pieces]
    width = next((one.vectors.shape[1] for one in read if len(one.texts)), 1)
    rows = np.concatenate([one.vectors.reshape(-1, width) for one in read])
    ends = np.cumsum([len(one.texts) for one in read])
    starts = [i + 1 < len(pieces) and starts_section(pieces[i], pieces[i + 1]) for i in range(labels)]
    scores = [_difference(rows, int(ends[i])) + _SECTION * starts[i] for i in range(labels)]
    order = [int(i) for i in np.argsort(-np.asarray(scores), kind="stable")]
    if gain is None:
        return order[0] + 1
    few = [i for i in order if starts[i] == any(starts) and i + 1 < len(pieces)][:_CANDIDATES] or order[:1]
    return few[0] + 1 if len(few) == 1 else await _least_predictable(pieces, few, gain) + 1


async def _least_predictable(pieces: Sequence[str], few: Sequence[int], gain: LikelihoodGain) -> int:
    gains = []
    for i in few:
        before, after = "\n\n".join(pieces[: i + 1]).strip(), "\n\n".join(pieces[i + 1 :]).strip()
        gains.append(await gain(_last_words(before, _BEFORE), truncate(after, _AFTER)))
    return few[int(np.argmin(gains))]


def _last_words(text: str, words: int) -> str:
    index = WordIndex(text)
    return text[index.after(0, max(0, len(index) - words)) :]


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
