"""Embedders: one for any server with ``/v1/embeddings``, and a cache, so that no text is embedded twice."""

from __future__ import annotations

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
from readagent.models.hosts import redacted
from readagent.models.http import HttpClient, Transport
from readagent.models.limits import Slots
from readagent.models.providers import KEY_HINT
from readagent.models.refusal import Refusal, error_from, read_refusal
from readagent.models.retry import Retries
from readagent.models.wire import decode_as

T = TypeVar("T")

_STORED_AT_ONCE = 256
_MAX_BYTES = 64_000_000  # of one reply; 64 vectors of 4096 numbers have about 6 million


@dataclass(frozen=True, slots=True)
class _Row:
    embedding: list[float]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    data: list[_Row]


class EndpointEmbedder:
    """An embedder on an OpenAI-compatible server: ``batch`` texts per request, ``parallel`` concurrent requests.

    Calls take turns in ``slots`` and are repeated after errors that may go away. A batch that the server rejects as too
    large is split in two. Blank texts are sent as one space, since many servers reject empty ones.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str | None = None,
        key_hint: str = KEY_HINT,
        batch: int = 64,
        parallel: int = 4,
        timeout: float = 300.0,
        slots: Slots | None = None,
        headers: Sequence[tuple[str, str]] = (),
        transport: Transport | None = None,
    ) -> None:
        self.model = model
        self._key = key = (key or "").strip() or None
        self._key_hint = key_hint
        self._batch = max(1, batch)
        self._retries = Retries(slots or Slots(parallel))
        self._client = HttpClient(
            base_url, key=key, timeout=timeout, max_bytes=_MAX_BYTES, headers=headers, transport=transport
        )

    @property
    def name(self) -> str:
        """Server and model, without the key."""
        return f"{redacted(self._client.base_url)} {self.model}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order."""
        parts = await together(self._embed(part) for part in _parts(texts, self._batch))
        return join_rows([row for part in parts for row in part])

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def _embed(self, texts: Sequence[str]) -> list[bytes]:
        """Embed one batch, or its two halves if it is too large."""
        result = await self._retries.call(lambda: self._send(texts))
        if isinstance(result, list):
            return result
        if len(texts) > 1 and (result.too_large or "batch" in result.message.lower()):
            middle = len(texts) // 2
            return await self._embed(texts[:middle]) + await self._embed(texts[middle:])
        raise self._error(result)

    async def _send(self, texts: Sequence[str]) -> list[bytes] | Refusal:
        body = {"model": self.model, "input": [text if text.strip() else " " for text in texts]}
        reply = await self._client.post("/embeddings", body)
        if reply.status == 200:
            return _read(reply.body, len(texts))
        refusal = read_refusal(reply.status, reply.headers, reply.body, self._key)
        error = self._error(refusal)
        if error.retryable:
            raise error
        return refusal

    def _error(self, refusal: Refusal) -> ModelError:
        error = error_from(refusal, model=self.model, key_hint=self._key_hint, has_key=self._key is not None)
        if refusal.too_large:
            error.hint = "this model needs shorter passages"
        elif isinstance(error, UnknownModelError):
            error.hint = f"check that {redacted(self._client.base_url)} offers embeddings, and with this model"
        return error


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
        for part in _parts(list(wanted), _STORED_AT_ONCE):
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


def _parts(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _read(body: bytes, count: int) -> list[bytes]:
    """Parse a response and return the rows in the order of the texts."""
    rows: dict[int, bytes] = {}
    for position, row in enumerate(decode_as(body, _Rows).data):
        rows[position if row.index is None else row.index] = _unit(row.embedding)
    if sorted(rows) != list(range(count)):
        raise BadReplyError(f"the server sent vectors for {len(rows)} of {count} texts")
    return [rows[position] for position in range(count)]


def _unit(values: list[float]) -> bytes:
    """Normalise a vector to length one, and encode it as bytes."""
    length = math.sqrt(sum(value * value for value in values))
    if not 0 < length < math.inf:
        raise BadReplyError("the server sent a vector that cannot be normalised")
    row = array("f", (value / length for value in values))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
