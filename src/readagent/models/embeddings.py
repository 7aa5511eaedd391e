"""Vectors from any server with ``/v1/embeddings``, and vectors that are kept, so that no text is embedded twice."""

from __future__ import annotations

import asyncio
import hashlib
import math
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from readagent.core.concurrency import together
from readagent.core.model import Embedder, Vectors
from readagent.errors import BadReplyError, ModelError, UnknownModelError
from readagent.models.failures import Refusal, error_of, read_refusal
from readagent.models.hosts import shown
from readagent.models.http import Line, Transport
from readagent.models.retry import Patience
from readagent.models.wire import decode_as

T = TypeVar("T")

_KEPT_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class _Row:
    embedding: list[float]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    data: list[_Row]


class EndpointEmbedder:
    """An embedder behind an OpenAI-compatible server: ``batch`` texts to a request, ``parallel`` requests at once.

    Errors that pass are met with ``patience``; a batch that the server finds too large is sent in halves. Blank texts
    are sent as one space, since many servers refuse empty ones.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_name: str = "READAGENT_API_KEY",
        batch: int = 64,
        parallel: int = 4,
        timeout: float = 300.0,
        patience: Patience | None = None,
        headers: Sequence[tuple[str, str]] = (),
        transport: Transport | None = None,
    ) -> None:
        self.model = model
        self._key = key = (key or "").strip() or None
        self._key_name = key_name
        self._batch = max(1, batch)
        self._parallel = max(1, parallel)
        self._patience = patience or Patience()
        self._line = Line(base_url, key=key, timeout=timeout, headers=headers, transport=transport)

    @property
    def name(self) -> str:
        """Server and model; never the key."""
        return f"{shown(self._line.base_url)} {self.model}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in order, of length one."""
        free = asyncio.Semaphore(self._parallel)

        async def embedded(part: Sequence[str]) -> list[bytes]:
            async with free:
                return await self._embed(part)

        parts = await together(embedded(part) for part in _parts(texts, self._batch))
        return joined([row for part in parts for row in part])

    async def aclose(self) -> None:
        """Close the connection."""
        await self._line.aclose()

    async def _embed(self, texts: Sequence[str]) -> list[bytes]:
        """The rows of one batch, or of its halves, where it was too much at once."""
        result = await self._patience.call(lambda: self._send(texts))
        if isinstance(result, list):
            return result
        if len(texts) > 1 and (result.overflow or "batch" in result.message.lower()):
            middle = len(texts) // 2
            return await self._embed(texts[:middle]) + await self._embed(texts[middle:])
        raise self._error(result)

    async def _send(self, texts: Sequence[str]) -> list[bytes] | Refusal:
        body = {"model": self.model, "input": [text if text.strip() else " " for text in texts]}
        heard = await self._line.post("/embeddings", body)
        if heard.status == 200:
            return _read(heard.body, len(texts))
        refusal = read_refusal(heard.status, heard.headers, heard.body, self._key)
        error = self._error(refusal)
        if error.retryable:
            raise error
        return refusal

    def _error(self, refusal: Refusal) -> ModelError:
        error = error_of(refusal, model=self.model, key_name=self._key_name, has_key=self._key is not None)
        if refusal.overflow:
            error.hint = "embed shorter passages with this model"
        elif isinstance(error, UnknownModelError):
            error.hint = f"does {shown(self._line.base_url)} offer embeddings, and is this one of its models for them?"
        return error


class VectorStore(Protocol):
    """Where vectors are kept under keys; ``keep_vectors`` returns when they are safe, and replaces what was there."""

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]: ...

    def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None: ...


class MemoryVectors:
    """Keeps vectors as long as the process lives."""

    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def keep_vectors(self, vectors: Mapping[bytes, bytes]) -> None:
        self.kept.update(vectors)


class CachedEmbedder:
    """An embedder whose vectors are kept in a store, a few hundred at a time; equal texts are embedded once."""

    def __init__(self, embedder: Embedder, store: VectorStore) -> None:
        self._embedder = embedder
        self._store = store

    @property
    def name(self) -> str:
        return self._embedder.name

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text; only those that are not known are embedded."""
        name = self.name
        keys = [vector_key(name, text) for text in texts]
        wanted = dict(zip(keys, texts, strict=True))
        known = self._store.vectors(list(wanted))
        known |= await self._fresh({key: text for key, text in wanted.items() if key not in known})
        if len({len(row) for row in known.values()}) > 1:  # what the name stands for is another model by now
            known = await self._fresh(wanted)
        return joined([known[key] for key in keys])

    async def _fresh(self, wanted: Mapping[bytes, str]) -> dict[bytes, bytes]:
        fresh: dict[bytes, bytes] = {}
        for part in _parts(list(wanted), _KEPT_AT_ONCE):
            vectors = await self._embedder.embed([wanted[key] for key in part])
            rows = dict(zip(part, split(vectors), strict=True))
            self._store.keep_vectors(rows)
            fresh |= rows
        return fresh


def vector_key(name: str, text: str) -> bytes:
    """What the vector that an embedder of this name makes of a text is kept under."""
    return hashlib.sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).digest()


def split(vectors: Vectors) -> list[bytes]:
    """The rows one by one."""
    step = 4 * vectors.width
    return [vectors.data[row * step : (row + 1) * step] for row in range(len(vectors))]


def joined(rows: Sequence[bytes]) -> Vectors:
    """Rows of the same width as one."""
    if len({len(row) for row in rows}) > 1:
        raise BadReplyError("the vectors of one model are of different widths")
    return Vectors(len(rows[0]) // 4 if rows else 0, b"".join(rows))


def _parts(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _read(body: bytes, count: int) -> list[bytes]:
    """The rows of a server's answer, in the order of the texts."""
    rows: dict[int, bytes] = {}
    for position, row in enumerate(decode_as(body, _Rows).data):
        rows[position if row.index is None else row.index] = _unit(row.embedding)
    if sorted(rows) != list(range(count)):
        raise BadReplyError(f"the server sent vectors for {len(rows)} of {count} texts")
    return [rows[position] for position in range(count)]


def _unit(values: list[float]) -> bytes:
    """A vector brought to length one, as bytes."""
    length = math.sqrt(sum(value * value for value in values))
    if not 0 < length < math.inf:
        raise BadReplyError("the server sent a vector without a direction")
    row = array("f", (value / length for value in values))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
