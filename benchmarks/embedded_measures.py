"""Measures of the embedded benchmark: rankings, hits, intervals, and similarity of an answer to a key."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from common import SEED
from numpy.typing import NDArray

Array = NDArray[np.float32]

AT = (1, 3, 6)
_FUSION = 60
_RESAMPLES = 10_000
_WORD = re.compile(r"\w+")
_ARTICLES = {"a", "an", "the"}


def records_of(file: Path) -> list[Any]:
    """Return the records of a file with one JSON object per line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


class PlainBm25:
    """bm25s with its defaults and English stop words: the baseline."""

    def __init__(self, texts: Sequence[str]) -> None:
        found = bm25s.tokenize(list(texts), stopwords="en", return_ids=False, show_progress=False)
        self._size = len(found)
        self._known = {term for text in found for term in text}
        self._index = bm25s.BM25()
        self._index.index(found, show_progress=False)

    def scores(self, question: str) -> Array:
        """Return the score of each text for the question."""
        asked = bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)[0]
        known = [term for term in asked if term in self._known]
        return np.asarray(self._index.get_scores(known) if known else np.zeros(self._size), np.float32)


def best_of(scores: Array, owners: Sequence[int], pages: int) -> Array:
    """Return the score of the best piece of each page."""
    best = np.full(pages, -np.inf, np.float32)
    np.maximum.at(best, np.asarray(owners), scores)
    return best


def order(scores: Array) -> list[int]:
    """Return page numbers, the best first; ties keep their order."""
    return [int(number) for number in np.argsort(-scores, kind="stable")]


def fused(*scores: Array) -> Array:
    """Return the reciprocal-rank fusion of scores."""
    ranks = [np.argsort(np.argsort(-one, kind="stable")) for one in scores]
    return np.asarray(sum(1 / (_FUSION + 1 + rank) for rank in ranks), np.float32)


def interval(sums: Sequence[float], counts: Sequence[int]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over grouped values; groups (meetings, articles) are resampled.

    ``sums`` and ``counts`` are the sum and size of each group.
    """
    dice = np.random.default_rng(SEED)
    drawn = dice.integers(0, len(sums), (_RESAMPLES, len(sums)))
    means = np.asarray(sums, float)[drawn].sum(axis=1) / np.asarray(counts, float)[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def by_chance(good: int, pages: int, opened: int) -> float:
    """Return the probability that a good page is among ``opened`` random ones."""
    return 1 - comb(pages - good, opened) / comb(pages, opened) if opened <= pages else float(good > 0)


def words(text: str) -> list[str]:
    """Return the words in lower case without punctuation."""
    return _WORD.findall(text.lower())


def stands_in(key: str, text: str) -> bool:
    """Return whether a text contains a key word for word, ignoring case, punctuation and a leading article."""
    wanted = words(key)
    if len(wanted) > 1 and wanted[0] in _ARTICLES:
        wanted = wanted[1:]
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(words(text))} "


def rouge_l(answer: str, key: str) -> float:
    """Return the F-measure of the longest common subsequence of words."""
    left, right = words(answer), words(key)
    if not left or not right:
        return 0.0
    row = [0] * (len(right) + 1)
    for word in left:
        before = row
        row = [0]
        for j, other in enumerate(right):
            row.append(before[j] + 1 if word == other else max(row[j], before[j + 1]))
    return 2 * row[-1] / (len(left) + len(right))
