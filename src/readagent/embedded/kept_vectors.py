"""The vectors of passages and of the sentences in them, from one pass; those of the passages are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from readagent.core.model import Embedder, Vectors
from readagent.embedded.embedder import MiniLMEmbedder
from readagent.models.embeddings import CachedEmbedder, VectorStore, split_rows, vector_key


class PartsEmbedder(Embedder, Protocol):
    """An embedder that can also tell the vectors of parts of a text, each as it stands in the text."""

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> list[Vectors]: ...


class KeptVectors(CachedEmbedder):
    """The embedder of the offline reader, with a store."""

    def __init__(self, embedder: MiniLMEmbedder, store: VectorStore) -> None:
        super().__init__(embedder, store)
        self._minilm = embedder
        self._kept = store

    async def embed_parts(self, texts: Sequence[Sequence[str]]) -> list[Vectors]:
        """Return the vectors of the parts of each text, and store those of the texts, for looking up later."""
        rows, parts = await self._minilm.embed_parts(texts)
        keys = [vector_key(self.name, " ".join(text)) for text in texts]
        self._kept.keep_vectors(dict(zip(keys, split_rows(rows), strict=True)))
        return parts
