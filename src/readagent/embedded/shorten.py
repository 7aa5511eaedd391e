"""Extractive gists: the most representative sentences of a passage, in order and slightly trimmed."""

from __future__ import annotations

import re

import numpy as np

from readagent.core.words import clause_ends, count_words, lead, truncate
from readagent.embedded.sentences import Sentences
from readagent.embedded.trim import trim
from readagent.retrieval.vectors import unit

_NAME = re.compile(r"(?<=[\w,;’'] )[A-Z][\w’'-]+")
_NUMBER = re.compile(r"\b\d[\d.,:]*\b")
_REPETITION = 0.7  # penalty for similarity to a sentence that was already chosen
_NEW_NAME = 0.08  # bonus for each name or number that has not occurred before
_OPENING = 0.1  # bonus for the first sentence, which sets the scene
_TOLERANCE = 1.15  # a gist may exceed the requested words by this factor


def extract_gist(passage: Sentences, words: int) -> str:
    """Return the sentences that cover most of a passage, in order, with about ``words`` words together."""
    if not passage.texts:
        return ""
    texts = [trim(text) for text in passage.texts]
    sizes = [count_words(text) for text in texts]
    chosen: list[int] = []
    room = _TOLERANCE * words
    values = _values(passage)
    nearest = np.zeros(len(texts), np.float32)
    candidates = [i for i, size in enumerate(sizes) if size <= room]
    while candidates:
        best = max(candidates, key=lambda i: (values[i] - _REPETITION * nearest[i], -i))
        chosen.append(best)
        room -= sizes[best]
        nearest = np.maximum(nearest, passage.vectors @ passage.vectors[best])
        candidates = [i for i in candidates if i != best and sizes[i] <= room]
        if sum(sizes[i] for i in chosen) >= words:
            break
    if not chosen:
        return _cut(texts[int(np.argmax(values))], words)
    return " ".join(texts[i] for i in sorted(chosen))


def _values(passage: Sentences) -> list[float]:
    """Return how central each sentence is, plus a bonus for names and numbers that it mentions first."""
    centre = unit(np.average(passage.vectors, axis=0, weights=np.sqrt(passage.words)))
    seen: set[str] = set()
    values = []
    for i, text in enumerate(passage.texts):
        named = {*_NAME.findall(text), *_NUMBER.findall(text)}
        values.append(float(passage.vectors[i] @ centre) + _NEW_NAME * min(3, len(named - seen)) + _OPENING * (i == 0))
        seen |= named
    return values


def _cut(sentence: str, words: int) -> str:
    """Cut a sentence that is too long by itself after its last clause that fits."""
    fitting = [cut for cut in clause_ends(sentence, 0, len(sentence)) if count_words(sentence[:cut]) <= words]
    return sentence[: fitting[-1]].rstrip(" ,;:—–") if fitting else truncate(lead(sentence, words), words)
