"""Create the offline reader, which needs no server and no key, from the weights in the home folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.embedded.loading import NEEDS_NUMPY, steps_to_reader
from readagent.embedded.weights import folder, state
from readagent.embedded.wording import writer_of
from readagent.errors import UsageError
from readagent.library import Library
from readagent.models.keys import Keys
from readagent.models.providers import OPENAI_URL, PROVIDERS

if TYPE_CHECKING:
    from readagent.embedded.kept_vectors import KeptVectors
    from readagent.embedded.model import LocalModel


def local_model(home: Path, library: Library, *, named: bool = True, writer: Path | None = None) -> LocalModel:
    """Return the offline reader. ``named`` is whether the user has named it, or nothing else.

    ``writer`` is the GGUF file of a language model that words the answers.
    """
    if steps := steps_to_reader(home):
        ready = state(home)["minilm"] == "ready"
        missing = NEEDS_NUMPY if ready else "the weights of the offline reader are not installed"
        if named:
            raise UsageError(missing, hint=f"run: {steps}")
        raise UsageError(
            f"no model was named, and {missing}",
            hint=f"name one, for example {_examples(Keys(os.environ, home))} (readagent setup finds what you have), "
            f"or use the offline reader: {steps}",
        )
    from readagent.embedded.model import LocalModel
    from readagent.embedded.passage_reader import PassageReader
    from readagent.embedded.word_vectors import WordVectors

    place = folder(home, "minilm")
    words = None if writer is None else writer_of(writer)
    return LocalModel(_embedder(home, library), PassageReader(place), WordVectors(place), words)


def _examples(keys: Mapping[str, str]) -> str:
    """Return names of models to begin with: that of a server or a provider that the user has a key for comes first."""
    if keys.get(OPENAI_URL, "").strip():
        return f'`model="openai/"`, the first model of {OPENAI_URL}'
    name, provider = next(((name, one) for name, one in PROVIDERS.items() if one.key_set(keys)), ("", None))
    if provider is not None:
        return f'`model="{name}/{provider.usual}"`, since {provider.key_set(keys)} is set'
    return '`model="openai/gpt-4.1-mini"` or `model="ollama/qwen3:8b"`'


def local_embedder(home: Path, library: Library) -> KeptVectors | None:
    """Return the built-in embedder with a vector cache, or None if its weights or numpy are missing."""
    ready = state(home)["minilm"] == "ready" and find_spec("numpy") is not None
    return _embedder(home, library) if ready else None


def _embedder(home: Path, library: Library) -> KeptVectors:
    from readagent.embedded.embedder import MiniLMEmbedder
    from readagent.embedded.kept_vectors import KeptVectors

    return KeptVectors(MiniLMEmbedder(folder(home, "minilm")), library)
