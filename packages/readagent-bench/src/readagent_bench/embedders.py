"""The embedder of a study: the named one, or the embedded one if its weights are installed, or none."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from readagent.core.model import Embedder
from readagent.embedded.weights import folder, state
from readagent.errors import UsageError
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder, EndpointEmbedder
from readagent.models.providers import resolve


@asynccontextmanager
async def embedder_of(name: str, home: Path, library: Library) -> AsyncIterator[Embedder | None]:
    """Open an embedder: ``URL#MODEL`` on a server, or ``local``, the embedded one, which is also the default.

    Vectors are kept in the library. The connection or thread ends with the block.
    """
    if is_served(name):
        endpoint = _endpoint(name)
        try:
            yield CachedEmbedder(endpoint, library)
        finally:
            await endpoint.aclose()
    elif state(home)["minilm"] == "ready":
        from readagent.embedded.embedder import MiniLMEmbedder

        embedder = MiniLMEmbedder(folder(home, "minilm"))
        try:
            yield CachedEmbedder(embedder, library)
        finally:
            embedder.close()
    elif name:
        raise UsageError("the weights of the local embedder are not installed", hint="readagent model pull")
    else:
        yield None


def is_served(name: str) -> bool:
    """Return whether this names an embedder on a server; raise UsageError if it names none at all."""
    if name in ("", "local"):
        return False
    url, _, model = name.partition("#")
    if not model or not url.startswith(("http://", "https://")):
        raise UsageError(
            f"invalid embedder {name!r}", hint="for example http://localhost:11434/v1#nomic-embed-text, or local"
        )
    return True


def _endpoint(name: str) -> EndpointEmbedder:
    url, _, model = name.partition("#")
    target = resolve(model, url, os.environ)
    return EndpointEmbedder(target.base_url, target.model, key=target.key, key_name=target.key_name)
