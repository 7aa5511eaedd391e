"""Which models run on this computer, by name: the offline reader, downloaded language models, and GGUF files."""

from __future__ import annotations

from pathlib import Path

from readagent.embedded.engine import gguf_path
from readagent.embedded.weights import WEIGHTS, folder, require
from readagent.errors import UsageError

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
