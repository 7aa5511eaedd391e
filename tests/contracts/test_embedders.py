"""What every embedder must do: return one unit vector per text, in order, and always the same."""

from __future__ import annotations

import asyncio
import math
from array import array
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from embedded.small import make_weights
from needs import real_weights
from readagent.core.model import Embedder, Vectors
from readagent.embedded.networks import MiniLMEmbedder
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder, split_rows
from readagent.testing.loopback import LoopbackServer
from readagent_bench.embedder import EndpointEmbedder
from stores import MemoryVectors

pytestmark = pytest.mark.anyio
TEXTS = [
    "The sea was calm.", "", "Bob mended the lamp.", "   ", "漢字かな", "😀", "half a pair \ud83d", "the lamp " * 12,
]  # fmt: skip
Opening = Callable[[Path], AbstractAsyncContextManager[Embedder]]


@asynccontextmanager
async def endpoint(path: Path) -> AsyncIterator[Embedder]:
    async with LoopbackServer(faults=["429", "500"]) as server:
        embedder = EndpointEmbedder(server.base_url, "skimmer", batch=3)
        yield embedder
        await embedder.aclose()


@asynccontextmanager
async def cached_in_memory(path: Path) -> AsyncIterator[Embedder]:
    async with endpoint(path) as embedder:
        yield CachedEmbedder(embedder, MemoryVectors())


@asynccontextmanager
async def cached_in_a_library(path: Path) -> AsyncIterator[Embedder]:
    async with endpoint(path) as embedder:
        with Library(path) as library:
            yield CachedEmbedder(embedder, library)


@asynccontextmanager
async def small(path: Path) -> AsyncIterator[Embedder]:
    embedder = MiniLMEmbedder(make_weights(path / "weights"))
    yield embedder
    embedder.close()


@asynccontextmanager
async def real(path: Path) -> AsyncIterator[Embedder]:
    embedder = MiniLMEmbedder(real_weights("minilm"))
    yield embedder
    embedder.close()


EMBEDDERS: dict[str, Opening] = {
    "endpoint": endpoint, "cached in memory": cached_in_memory, "cached in a library": cached_in_a_library,
    "minilm, small": small, "minilm, real": real,
}  # fmt: skip


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.weights if name == "minilm, real" else ()) for name in EMBEDDERS]
)
async def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Embedder]:
    async with EMBEDDERS[request.param](tmp_path) as opened:
        yield opened


def rows_of(vectors: Vectors) -> Iterator[list[float]]:
    return (list(array("f", row)) for row in split_rows(vectors))


async def test_any_text_gets_a_unit_vector(embedder: Embedder) -> None:
    texts = [*TEXTS, "word " * 3000]
    vectors = await embedder.embed(texts)
    assert len(vectors) == len(texts)
    assert len(vectors.data) == 4 * vectors.width * len(texts)
    for row in rows_of(vectors):
        assert math.sqrt(sum(value * value for value in row)) == pytest.approx(1, abs=1e-5)


async def test_a_vector_does_not_depend_on_the_other_texts(embedder: Embedder) -> None:
    together = list(rows_of(await embedder.embed(TEXTS)))
    backwards = list(rows_of(await embedder.embed(TEXTS[::-1])))[::-1]
    for text, row, other in zip(TEXTS, together, backwards, strict=True):
        (alone,) = rows_of(await embedder.embed([text]))
        assert alone == pytest.approx(row, abs=1e-4)
        assert other == pytest.approx(row, abs=1e-4)


async def test_concurrent_calls_do_not_mix(embedder: Embedder) -> None:
    calls = [embedder.embed([text, "the lamp"]) for text in TEXTS[:5]]
    for text, vectors in zip(TEXTS[:5], await asyncio.gather(*calls), strict=True):
        (alone,) = rows_of(await embedder.embed([text]))
        assert next(rows_of(vectors)) == pytest.approx(alone, abs=1e-4)
