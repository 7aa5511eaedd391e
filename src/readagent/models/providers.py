"""Providers: short names for the usual servers, and where each finds its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.errors import UsageError
from readagent.models.hosts import host_of

ANY_KEY = "READAGENT_API_KEY"


@dataclass(frozen=True, slots=True)
class Provider:
    """A server, and the environment variable with its key; local servers need none."""

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
    """A model on a server. An empty ``model`` is the first that the server lists; the key is never shown."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    key_name: str = ANY_KEY


def resolve(model: str | None, base_url: str | None, environ: Mapping[str, str]) -> Target:
    """Where a model is to be found.

    With a base URL the model's name is taken as it is. Without one it begins with a short name (``ollama/qwen3:8b``),
    or is itself the URL of a server.
    """
    model = (model or "").strip()
    if base_url:
        return _at(base_url.strip(), model, environ)
    if model.startswith(("http://", "https://")):
        return _at(model, "", environ)
    name, slash, rest = model.partition("/")
    provider = PROVIDERS.get(name.lower())
    if provider is None or not slash:
        what = f"{model!r} does not say on which server it is" if model else "no model was given"
        names = ", ".join(f"{name}/" for name in PROVIDERS)
        raise UsageError(what, hint=f"give --base-url, a .gguf file, or a name that begins with one of: {names}")
    return Target(provider.base_url, rest, _key(provider, environ), provider.key_name)


def _at(base_url: str, model: str, environ: Mapping[str, str]) -> Target:
    """A server by its URL; a provider's own key goes to that provider's host and to no other."""
    host = host_of(base_url)
    known = (p for p in PROVIDERS.values() if p.key_name != ANY_KEY and host_of(p.base_url) == host)
    provider = next(known, Provider(base_url))
    return Target(base_url, model, _key(provider, environ), provider.key_name)


def _key(provider: Provider, environ: Mapping[str, str]) -> str | None:
    return (environ.get(ANY_KEY) or environ.get(provider.key_name) or "").strip() or None
