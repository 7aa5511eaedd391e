"""Gists without a word of our own: the sentences that stand for a passage, in their order, lightly trimmed."""

from __future__ import annotations

import re

import numpy as np

from readagent.core.words import clause_ends, count_words, lead, truncate
from readagent.embedded.meaning import Sentences
from readagent.embedded.trim import trimmed
from readagent.retrieval.vectors import unit

_NAME = re.compile(r"(?<=[\w,;’'] )[A-Z][\w’'-]+")
_NUMBER = re.compile(r"\b\d[\d.,:]*\b")
_REPEATS = 0.7  # how much likeness to what was taken already counts against a sentence
_NEW_NAME = 0.08  # for each name or number that was not met before
_OPENING = 0.1  # for the first sentence, which says where we are
_OVER = 1.15  # times the words wanted that a gist may have


def shortened(passage: Sentences, words: int) -> str:
    """The sentences that cover most of a passage, in order, together about so many words long."""
    if not passage.texts:
        return ""
    texts = [trimmed(text) for text in passage.texts]
    sizes = [count_words(text) for text in texts]
    chosen: list[int] = []
    room = _OVER * words
    worth = _worth(passage)
    nearest = np.zeros(len(texts), np.float32)
    open_ = [i for i, size in enumerate(sizes) if size <= room]
    while open_:
        best = max(open_, key=lambda i: (worth[i] - _REPEATS * nearest[i], -i))
        chosen.append(best)
        room -= sizes[best]
        nearest = np.maximum(nearest, passage.vectors @ passage.vectors[best])
        open_ = [i for i in open_ if i != best and sizes[i] <= room]
        if sum(sizes[i] for i in chosen) >= words:
            break
    if not chosen:
        return _cut(texts[int(np.argmax(worth))], words)
    return " ".join(texts[i] for i in sorted(chosen))


def _worth(passage: Sentences) -> list[float]:
    """How central each sentence is, more for names and numbers it is first to mention."""
    centre = unit(np.average(passage.vectors, axis=0, weights=np.sqrt(passage.words)))
    met: set[str] = set()
    worth = []
    for i, text in enumerate(passage.texts):
        told = {*_NAME.findall(text), *_NUMBER.findall(text)}
        worth.append(float(passage.vectors[i] @ centre) + _NEW_NAME * min(3, len(told - met)) + _OPENING * (i == 0))
        met |= told
    return worth


def _cut(sentence: str, words: int) -> str:
    """A sentence too long by itself, up to its last clause that fits."""
    fitting = [cut for cut in clause_ends(sentence, 0, len(sentence)) if count_words(sentence[:cut]) <= words]
    return sentence[: fitting[-1]].rstrip(" ,;:—–") if fitting else truncate(lead(sentence, words), words)
