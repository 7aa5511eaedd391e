"""Meaning: the sentences of a text with their vectors, from any embedder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from readagent.core.model import Embedder
from readagent.core.words import count_words, sentences
from readagent.retrieval.vectors import Array, vectors_of

Follows = Callable[[str, str], Awaitable[float]]  # how much likelier the second text is after the first than by itself


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a text, how many words each has, and a row of ``vectors`` for each."""

    texts: list[str]
    words: list[int]
    vectors: Array


async def understood(text: str, embedder: Embedder) -> Sentences:
    """A text by its sentences."""
    texts = sentences(text)
    return Sentences(texts, [count_words(sentence) for sentence in texts], await vectors_of(texts, embedder))
