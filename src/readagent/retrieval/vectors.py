"""Vectors as rows of numbers: those of texts, from any embedder, and what several of them mean together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from readagent.core.model import Embedder
from readagent.core.words import sentences

Array = NDArray[np.float32]


async def vectors_of(texts: Sequence[str], embedder: Embedder) -> Array:
    """A row for each text."""
    vectors = await embedder.embed(texts)
    rows: Array = np.frombuffer(vectors.data, np.float32).reshape(len(texts), vectors.width)
    return rows


async def meant(texts: Sequence[str], embedder: Embedder) -> Array:
    """A row for each text: what its sentences mean together. Their vectors are known from reading, its own is not."""
    cut = [sentences(text) for text in texts]
    rows = await vectors_of([sentence for own in cut for sentence in own], embedder)
    ends = np.cumsum([len(own) for own in cut])
    sums = [rows[end - len(own) : end].sum(axis=0) for own, end in zip(cut, ends, strict=True)]
    return unit(np.stack(sums)) if sums else rows


def unit(rows: Array) -> Array:
    """The rows brought to length one; a row of zeros stays one."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(length, 1e-9), np.float32)
