"""Which models run on this computer, by name, and the offline reader, which needs no server and no key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.core.languages import hits, language, language_name
from readagent.embedded.gguf import gguf_path
from readagent.embedded.weights import NEEDS_NUMPY, WEIGHTS, folder, require, state, steps_to_reader
from readagent.errors import UsageError
from readagent.library import Library
from readagent.models.providers import OPENAI_URL, PROVIDERS, Keys

if TYPE_CHECKING:
    from readagent.embedded.model import LocalModel
    from readagent.embedded.shorten import KeptVectors


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
    from readagent.embedded.minilm import WordVectors
    from readagent.embedded.model import LocalModel
    from readagent.embedded.networks import PassageReader

    place = folder(home, "minilm")
    words = None
    if writer is not None:
        from readagent.embedded.wording import writer_of

        words = writer_of(writer)
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
    from readagent.embedded.networks import MiniLMEmbedder
    from readagent.embedded.shorten import KeptVectors

    return KeptVectors(MiniLMEmbedder(folder(home, "minilm")), library)


def needs_model(what: str) -> UsageError:
    """Return the error for something that cannot be done by finding and quoting, such as "extracting people"."""
    return UsageError(
        f"{what} needs a model: the offline reader only finds and quotes",
        hint='name one, such as `model="ollama/qwen3:8b"`, or get one that runs here: readagent model pull qwen',
    )


LOCAL = "local"


def is_local_name(model: str) -> bool:
    """Whether this names the offline reader, alone or with a model that words its answers: ``local+qwen``."""
    return model.partition("+")[0] == LOCAL


def writer_path(model: str, home: Path) -> Path | None:
    """Return the GGUF file that words the answers of the offline reader: that of qwen for ``local+qwen``."""
    _, plus, writer = model.partition("+")
    if not plus:
        return None
    path = model_path(writer, "", home)
    if path is None:
        names = ", ".join(sorted(name for name, weights in WEIGHTS.items() if weights.optional))
        raise UsageError(
            f"cannot word answers with {writer!r}", hint=f"after local+ comes one of {names}, or a .gguf file"
        )
    return _downloaded(writer, path, home)


def model_path(model: str, base_url: str, home: Path) -> Path | None:
    """Return the GGUF file that a name refers to, or None if the name belongs to a server."""
    if not base_url and model in WEIGHTS and WEIGHTS[model].optional:
        return folder(home, model) / WEIGHTS[model].files[0].name
    return gguf_path(model, base_url)


def model_to_run(model: str, base_url: str, home: Path) -> Path | None:
    """Return the same, but raise UsageError if it is a model that was not downloaded yet."""
    path = model_path(model, base_url, home)
    return path and _downloaded(model, path, home)


def _downloaded(name: str, path: Path, home: Path) -> Path:
    return require(home, name) if name in WEIGHTS else path


def require_no_translation(text: str, wanted: str) -> None:
    """Raise UsageError if a text is recognised to be in another language than its gists are wanted in."""
    code = language(text)
    if wanted and code and language_name(code) != wanted:
        languages = f"the text is in {language_name(code)}, and gists are wanted in {wanted}"
        raise UsageError(
            f"the offline reader cannot translate: {languages}",
            hint='leave out `gist_language`, or use a model, such as `model="ollama/qwen3:8b"`',
        )


_SAMPLE = 4000  # characters from the middle of a text, where there is no preface or licence in another language


def text_in_english(text: str) -> bool:
    """Whether a text is in English, as far as that can be recognised."""
    middle = max(0, len(text) - _SAMPLE) // 2
    return language(text[middle : middle + _SAMPLE]) in ("", "en")


def question_in_english(question: str) -> bool:
    """Whether a question is in English, or too short to say."""
    words = hits(question.strip().partition("\n")[0]).totals
    english, most = words.get("en"), max(words.values())
    return english is not None and most <= max(1, english)
