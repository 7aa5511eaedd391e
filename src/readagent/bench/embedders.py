"""Which embedder a study uses: the one named, else the embedded one if its weights are there, else none."""

from __future__ import annotations

import os
from pathlib import Path

from readagent.core.embedder import Embedder
from readagent.embedded.weights import folder, state
from readagent.errors import UsageError
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder, EndpointEmbedder
from readagent.models.providers import resolve


def embedder_of(name: str, home: Path, library: Library) -> Embedder | None:
    """``URL#MODEL`` is a server's; ``local`` the embedded one, which is also taken where none is named."""
    if name not in ("", "local"):
        url, hash_mark, model = name.partition("#")
        if not hash_mark or not model or not url.startswith(("http://", "https://")):
            raise UsageError(
                f"{name!r} is no embedder", hint="as in http://localhost:11434/v1#nomic-embed-text, or local"
            )
        target = resolve(model, url, os.environ)
        return CachedEmbedder(EndpointEmbedder(target.base_url, target.model, key=target.key), library)
    if state(home)["minilm"] != "ready":
        if name:
            raise UsageError("the weights of the local embedder are not there", hint="readagent model pull")
        return None
    from readagent.embedded.embedder import MiniLMEmbedder

    return CachedEmbedder(MiniLMEmbedder(folder(home, "minilm")), library)
