"""The embedded default: from the weights in the home folder to a reader that needs no server and no key."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.embedded.weights import folder, missing_hint, state
from readagent.errors import UsageError
from readagent.library import Library

if TYPE_CHECKING:
    from readagent.embedded.model import LocalModel
    from readagent.embedded.wording import SmallModel
    from readagent.models.embeddings import CachedEmbedder

LOCAL = "local"
_NEEDED = ("numpy", "bm25s")
_INSTALL = "pip install 'readagent[local]'"


def local_reader(home: Path, library: Library | None = None, *, by_likelihood: bool = False) -> LocalModel:
    """The reader with what is there: without the language model, or what runs it, it answers in quotes alone.

    ``by_likelihood`` is for its pauses, and does need the language model.
    """
    ready = state(home)
    if ready["minilm"] != "ready":
        raise UsageError("no model was named, and the offline reader is not there yet", hint=missing_hint(home))
    for package in _NEEDED:
        if find_spec(package) is None:
            raise UsageError(f"the offline reader needs {package}, which is not installed", hint=_INSTALL)
    from readagent.embedded.model import LocalModel

    wording = _wording(home) if ready["smollm2"] == "ready" else None
    if by_likelihood and wording is None:
        raise UsageError(
            "pauses by likelihood need the language model smollm2, which is not there or cannot be run",
            hint="leave pauses_by at meaning; readagent model check tells what is missing",
        )
    return LocalModel(_embedder(home, library), wording, by_likelihood=by_likelihood)


def local_embedder(home: Path, library: Library | None = None) -> CachedEmbedder | None:
    """What turns texts into vectors, which are kept; None where the weights, or what they need, are not there."""
    ready = state(home)["minilm"] == "ready" and all(map(find_spec, _NEEDED))
    return _embedder(home, library) if ready else None


def _embedder(home: Path, library: Library | None) -> CachedEmbedder:
    from readagent.embedded.embedder import MiniLMEmbedder
    from readagent.models.embeddings import CachedEmbedder, MemoryVectors

    return CachedEmbedder(MiniLMEmbedder(folder(home, "minilm")), library or MemoryVectors())


def _wording(home: Path) -> SmallModel | None:
    if find_spec("xllamacpp") is None:
        return None
    from readagent.embedded.engine import Engine
    from readagent.embedded.wording import SmallModel

    return SmallModel(Engine(folder(home, "smollm2") / "model.gguf", window=2048, parallel=1))
