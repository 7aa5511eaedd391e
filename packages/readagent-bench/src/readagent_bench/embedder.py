"""An embedder on any server with ``/v1/embeddings``."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from readagent.core.concurrency import together
from readagent.core.model import Vectors
from readagent.errors import BadReplyError, ModelError, UnknownModelError
from readagent.models.embeddings import join_rows, parts_of
from readagent.models.hosts import redacted
from readagent.models.http import HttpClient, Transport
from readagent.models.limits import Slots
from readagent.models.providers import KEY_HINT
from readagent.models.refusal import Refusal, error_from, read_refusal
from readagent.models.retry import Retries
from readagent.models.wire import decode_as

_PARALLEL = 4  # concurrent requests
_TIMEOUT = 300.0  # seconds for a reply
_MAX_BYTES = 64_000_000  # of one reply; 64 vectors of 4096 numbers have about 6 million


@dataclass(frozen=True, slots=True)
class _Row:
    embedding: list[float]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    data: list[_Row]


class EndpointEmbedder:
    """An embedder on an OpenAI-compatible server: ``batch`` texts per request.

    Calls take turns and are repeated after errors that may go away. A batch that the server rejects as too
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
        transport: Transport | None = None,
    ) -> None:
        self.model = model
        self._key = key = (key or "").strip() or None
        self._key_hint = key_hint
        self._batch = max(1, batch)
        self._retries = Retries(Slots(_PARALLEL))
        self._client = HttpClient(base_url, key=key, timeout=_TIMEOUT, max_bytes=_MAX_BYTES, transport=transport)

    @property
    def name(self) -> str:
        """Server and model, without the key."""
        return f"{redacted(self._client.base_url)} {self.model}"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, in order."""
        parts = await together(self._embed(part) for part in parts_of(texts, self._batch))
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
