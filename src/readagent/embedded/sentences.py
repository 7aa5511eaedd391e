"""The sentences of a text with their vectors, from any embedder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from readagent.core.model import Embedder
from readagent.core.words import count_words, sentences
from readagent.retrieval.vectors import Array, vectors_of

LikelihoodGain = Callable[[str, str], Awaitable[float]]  # how much likelier the second text is after the first


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a text, the number of words of each, and a row of ``vectors`` for each."""

    texts: list[str]
    words: list[int]
    vectors: Array


async def embed_sentences(text: str, embedder: Embedder) -> Sentences:
    """Split a text into sentences and embed them."""
    texts = sentences(text)
    return Sentences(texts, [count_words(sentence) for sentence in texts], await vectors_of(texts, embedder))
