"""The sentences of a text with their vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from readagent.core.words import count_words, sentences
from readagent.embedded.kept_vectors import PartsEmbedder
from readagent.retrieval.passages import sentences_of_passages
from readagent.retrieval.vectors import Array, unit


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a text, the number of words of each, and a row of ``vectors`` for each."""

    texts: list[str]
    words: list[int]
    vectors: Array


async def embed_sentences(text: str, embedder: PartsEmbedder) -> Sentences:
    """Split a text into sentences, with vectors as they stand in their passages; those of the passages are stored."""
    passages = sentences_of_passages(text)
    found = await embedder.embed_parts(passages)
    parts = [part for passage in passages for part in passage]
    width = found[0].width if found else 1
    rows = np.frombuffer(b"".join(one.data for one in found), np.float32).reshape(len(parts), width)
    texts = sentences(text)
    return Sentences(texts, [count_words(sentence) for sentence in texts], _joined(texts, parts, rows))


def _joined(texts: list[str], parts: list[str], rows: Array) -> Array:
    """Return a row for each sentence: that of its part, or the mean of several if it was divided."""
    joined, at = np.zeros((len(texts), rows.shape[1]), np.float32), 0
    for number, text in enumerate(texts):
        begun, size = at, len("".join(text.split()))
        while size > 0 and at < len(parts):
            size -= len("".join(parts[at].split()))
            at += 1
        joined[number] = rows[begun:at].sum(axis=0)
    return unit(joined)
