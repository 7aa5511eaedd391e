"""Embedders on servers and the vector cache: order, length, faults, and no text embedded twice."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from readagent.core.model import Vectors
from readagent.errors import BadReplyError, LiveRequestError
from readagent.models.embeddings import CachedEmbedder, split_rows
from readagent.testing.loopback import LoopbackServer
from readagent_bench.embedder import EndpointEmbedder
from stores import MemoryVectors

pytestmark = pytest.mark.anyio


def rows_of(vectors: Vectors) -> list[list[float]]:
    return [list(array("f", row)) for row in split_rows(vectors)]


def served(answer: Any, seen: list[Any] | None = None, status: int = 200) -> httpx2.MockTransport:
    def handle(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        if seen is not None:
            seen.append(body)
        return httpx2.Response(status, json=answer(body) if callable(answer) else answer)

    return httpx2.MockTransport(handle)


def counted(body: dict[str, Any]) -> dict[str, Any]:
    """Answer with the number in each text."""
    return {"data": [{"index": i, "embedding": [float(text), 1.0]} for i, text in enumerate(body["input"])][::-1]}


class Letters:
    """An embedder that records its inputs."""

    def __init__(self, width: int = 3) -> None:
        self.name = "letters"
        self.width = width
        self.seen: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen.append(list(texts))
        rows = (array("f", [float(len(text)), *([1.0] * (self.width - 1))]).tobytes() for text in texts)
        return Vectors(self.width, b"".join(rows))


async def test_rows_are_in_the_order_of_the_texts_whatever_the_order_of_the_reply() -> None:
    seen: list[Any] = []
    embedder = EndpointEmbedder("http://localhost/v1", "m", batch=7, transport=served(counted, seen))
    vectors = await embedder.embed([str(number) for number in range(50)])
    assert [round(first / second) for first, second in rows_of(vectors)] == list(range(50))
    assert len(seen) == 8
    assert max(len(body["input"]) for body in seen) == 7
    assert {tuple(body) for body in seen} == {("input", "model")}


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        [],
    ],
)
async def test_a_reply_without_a_valid_vector_is_an_error(body: Any) -> None:
    embedder = EndpointEmbedder("http://localhost/v1", "m", transport=served(body))
    with pytest.raises(BadReplyError):
        await embedder.embed(["x"])


async def test_transient_faults_are_retried() -> None:
    async with LoopbackServer(faults=["429", "500", "cut", "malformed", "html"]) as server:
        embedder = EndpointEmbedder(server.base_url, "skimmer")
        vectors = await embedder.embed(["the sea was calm"])
        await embedder.aclose()
        assert [request.fault for request in server.requests] == ["429", "500", "cut", "malformed", "html", None]
    assert len(vectors) == 1


async def test_a_batch_that_is_too_large_is_split_in_two() -> None:
    def picky(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        if len(body["input"]) > 3:
            return httpx2.Response(413, json={"error": "batch size 10 > maximum allowed batch size 3"})
        return httpx2.Response(200, json=counted(body))

    embedder = EndpointEmbedder("http://localhost/v1", "m", transport=httpx2.MockTransport(picky))
    vectors = await embedder.embed([str(number) for number in range(10)])
    assert [round(first / second) for first, second in rows_of(vectors)] == list(range(10))


async def test_live_requests_can_be_forbidden_for_embeddings_too() -> None:
    with pytest.raises(LiveRequestError):
        await EndpointEmbedder("https://api.example.com/v1", "m").embed(["x"])


async def test_stored_texts_are_not_embedded_again_and_equal_ones_only_once() -> None:
    letters, store = Letters(), MemoryVectors()
    first = await CachedEmbedder(letters, store).embed(["a", "bb", "a", "bb", "a"])
    assert [row[0] for row in rows_of(first)] == [1, 2, 1, 2, 1]
    second = await CachedEmbedder(letters, store).embed(["ccc", "bb"])
    assert [row[0] for row in rows_of(second)] == [3, 2]
    assert letters.seen == [["a", "bb"], ["ccc"]]


async def test_vectors_computed_before_a_failure_are_stored() -> None:
    class Breaking(Letters):
        async def embed(self, texts: Sequence[str]) -> Vectors:
            if len(self.seen) == 2:
                raise asyncio.CancelledError
            return await super().embed(texts)

    store = MemoryVectors()
    with pytest.raises(asyncio.CancelledError):
        await CachedEmbedder(Breaking(), store).embed([str(number) for number in range(1000)])
    kept = len(store.kept)
    assert 0 < kept < 1000
    letters = Letters()
    await CachedEmbedder(letters, store).embed([str(number) for number in range(1000)])
    assert sum(map(len, letters.seen)) == 1000 - kept
