"""A cache for embedders, so that no text is embedded twice, and the rows of vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from readagent.core.model import Embedder, Vectors
from readagent.errors import BadReplyError

T = TypeVar("T")
_STORED_AT_ONCE = 256


class VectorStore(Protocol):
    """Stores vectors under keys. ``keep_vectors`` replaces existing entries and returns once the data is safe."""

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]: ...

    def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None: ...


class CachedEmbedder:
    """An embedder whose vectors are stored, a few hundred at a time. Equal texts are embedded once."""

    def __init__(self, embedder: Embedder, store: VectorStore) -> None:
        self._embedder = embedder
        self._store = store

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text; only texts that are not in the store are embedded."""
        name = self.name
        keys = [vector_key(name, text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        known = self._store.vectors(list(wanted))
        known |= await self._fresh({key: text for key, text in wanted.items() if key not in known})
        if len({len(row) for row in known.values()}) > 1:  # the same name now refers to another model
            known = await self._fresh(wanted)
        return join_rows([known[key] for key in keys])

    async def _fresh(self, wanted: Mapping[bytes, str]) -> dict[bytes, bytes]:
        fresh: dict[bytes, bytes] = {}
        for part in parts_of(list(wanted), _STORED_AT_ONCE):
            vectors = await self._embedder.embed([wanted[key] for key in part])
            rows = dict(zip(part, split_rows(vectors), strict=True))
            self._store.keep_vectors(rows)
            fresh |= rows
        return fresh


def vector_key(name: str, text: str) -> bytes:
    """Return the key under which the vector of a text is stored; ``name`` is the embedder's."""
    return hashlib.sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).digest()


def split_rows(vectors: Vectors) -> list[bytes]:
    """Return the rows one by one."""
    step = 4 * vectors.width
    return [vectors.data[row * step : (row + 1) * step] for row in range(len(vectors))]


def join_rows(rows: Sequence[bytes]) -> Vectors:
    """Join rows of the same width."""
    if len({len(row) for row in rows}) > 1:
        raise BadReplyError("the vectors of one model have different widths")
    return Vectors(len(rows[0]) // 4 if rows else 0, b"".join(rows))


def parts_of(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Return values in parts of this size."""
    return (values[start : start + size] for start in range(0, len(values), size))
