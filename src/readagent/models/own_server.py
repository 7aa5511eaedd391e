"""The server that OPENAI_BASE_URL names: its only model is used where no model is named and nothing else can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.errors import UsageError
from readagent.models.providers import OPENAI_MODEL, OPENAI_URL

ONLY_MODEL = "openai/"  # the model of that server whose name it is asked for
_NAMED = 5  # models that a hint names


def has_own_server(environ: Mapping[str, str]) -> bool:
    """Whether OPENAI_BASE_URL is set."""
    return bool(environ.get(OPENAI_URL, "").strip())


def not_one_model(url: str, models: Sequence[str]) -> UsageError:
    """Return the error for a server that lists no model, or several of which none was named."""
    has = f"lists {len(models)} models" if models else "lists no models"
    names = ", ".join(f"openai/{name}" for name in models[:_NAMED]) or "openai/MODEL"
    more = f" and {len(models) - _NAMED} more" if len(models) > _NAMED else ""
    return UsageError(
        f"no model was named, and {url} ({OPENAI_URL}) {has}",
        hint=f"name one with `model`: {names}{more}; or set {OPENAI_MODEL}",
    )
