"""Vectors of texts as numpy arrays, from any embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from readagent.core.model import Embedder
from readagent.core.words import sentences

Array = NDArray[np.float32]


async def vectors_of(texts: Sequence[str], embedder: Embedder) -> Array:
    """Return a row for each text."""
    vectors = await embedder.embed(texts)
    rows: Array = np.frombuffer(vectors.data, np.float32).reshape(len(texts), vectors.width)
    return rows


async def sentence_means(texts: Sequence[str], embedder: Embedder) -> Array:
    """Return the normalised sum of each text's sentence vectors, which are usually cached from reading."""
    split = [sentences(text) for text in texts]
    rows = await vectors_of([sentence for own in split for sentence in own], embedder)
    ends = np.cumsum([len(own) for own in split])
    sums = [rows[end - len(own) : end].sum(axis=0) for own, end in zip(split, ends, strict=True)]
    return unit(np.stack(sums)) if sums else rows


def unit(rows: Array) -> Array:
    """Normalise rows to length one. A row of zeros stays as it is."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-9), np.float32)
