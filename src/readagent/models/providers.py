"""Providers: short names for common servers, and the environment variables that hold their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.errors import UsageError
from readagent.models.hosts import host_of, port_of, redacted, same_server

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


def resolve(model: str | None, base_url: str | None, environ: Mapping[str, str], key_server: str = "") -> Target:
    """Return the server, model and key for a model name.

    A key is sent to one server only: OPENAI_API_KEY and the like to the provider, READAGENT_API_KEY to ``key_server``,
    or to any server if that is empty, READAGENT_API_KEY_HOST_NAME to the host of that name, and
    READAGENT_API_KEY_HOST_NAME_8000 to that port of it.

    With a base URL the name is used as it is. Without one it starts with a short name (``ollama/qwen3:8b``) or is
    itself the URL of a server. Raises UsageError if the name does not identify a server.
    """
    model = (model or "").strip()
    if base_url:
        return _target(base_url.strip(), model, environ, key_server)
    if model.startswith(("http://", "https://")):
        return _target(model, "", environ, key_server)
    name, slash, rest = model.partition("/")
    provider = PROVIDERS.get(name.lower())
    if provider is None or not slash:
        what = f"cannot tell which server has the model {redacted(model)!r}" if model else "no model was given"
        names = ", ".join(f"{name}/" for name in PROVIDERS)
        raise UsageError(what, hint=f"set --base-url, or use a .gguf file or a name that starts with one of: {names}")
    return _target(provider.base_url, rest, environ, key_server)


def _target(base_url: str, model: str, environ: Mapping[str, str], key_server: str) -> Target:
    """Return the target for a base URL, with the first key that is meant for its host."""
    host = host_of(base_url)
    own = [p.key_name for p in PROVIDERS.values() if p.key_name != ANY_KEY and same_server(base_url, p.base_url)]
    usual = [ANY_KEY] if not key_server or same_server(base_url, key_server) else []
    names = [*own, _key_name(f"{host}_{port_of(base_url)}"), _key_name(host), *usual]
    found = next((key for name in names if (key := environ.get(name, "").strip())), None)
    return Target(base_url, model, found, (own or usual or [_key_name(host)])[0])


def _key_name(host: str) -> str:
    """Return the environment variable for a key of this host: READAGENT_API_KEY_MY__LLM_EXAMPLE_ORG for my-llm."""
    return f"{ANY_KEY}_{re.sub('[^A-Z0-9_]', '_', host.upper().replace('-', '__'))}"
