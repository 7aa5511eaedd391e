"""Providers: short names for common servers, and the environment variables that hold their keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.errors import UsageError
from readagent.models.hosts import host_of

ANY_KEY = "READAGENT_API_KEY"


@dataclass(frozen=True, slots=True)
class Provider:
    """A server, and the environment variable that holds its key. Local servers need no key."""

    base_url: str
    key_name: str = ANY_KEY


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Provider("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    "gemini": Provider("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "ollama": Provider("http://localhost:11434/v1"),
    "lmstudio": Provider("http://localhost:1234/v1"),
    "llamacpp": Provider("http://localhost:8080/v1"),
    "vllm": Provider("http://localhost:8000/v1"),
}


@dataclass(frozen=True, slots=True)
class Target:
    """A model on a server. An empty ``model`` means the first one that the server lists. ``repr`` hides the key."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    key_name: str = ANY_KEY


def resolve(model: str | None, base_url: str | None, environ: Mapping[str, str]) -> Target:
    """Return the server, model and key for a model name.

    With a base URL the name is used as it is. Without one it starts with a short name (``ollama/qwen3:8b``) or is
    itself the URL of a server. Raises UsageError if the name does not identify a server.
    """
    model = (model or "").strip()
    if base_url:
        return _target(base_url.strip(), model, environ)
    if model.startswith(("http://", "https://")):
        return _target(model, "", environ)
    name, slash, rest = model.partition("/")
    provider = PROVIDERS.get(name.lower())
    if provider is None or not slash:
        what = f"cannot tell which server has the model {model!r}" if model else "no model was given"
        names = ", ".join(f"{name}/" for name in PROVIDERS)
        raise UsageError(what, hint=f"set --base-url, or use a .gguf file or a name that starts with one of: {names}")
    return Target(provider.base_url, rest, _key(provider, environ), provider.key_name)


def _target(base_url: str, model: str, environ: Mapping[str, str]) -> Target:
    """Return the target for a base URL. The key of a provider is only ever sent to the host of that provider."""
    host = host_of(base_url)
    known = (p for p in PROVIDERS.values() if p.key_name != ANY_KEY and host_of(p.base_url) == host)
    provider = next(known, Provider(base_url))
    return Target(base_url, model, _key(provider, environ), provider.key_name)


def _key(provider: Provider, environ: Mapping[str, str]) -> str | None:
    return (environ.get(ANY_KEY) or environ.get(provider.key_name) or "").strip() or None
