"""Ask a server which models it lists, and how large a model's window is."""

from __future__ import annotations

import re
from typing import Any

from readagent.core.window import SMALLEST
from readagent.errors import ConnectionFailedError, RateLimitedError, ReadAgentError, ServerFaultError
from readagent.models.failures import error_from
from readagent.models.hosts import is_private
from readagent.models.http import HttpClient, HttpReply
from readagent.models.refusal import read_refusal
from readagent.models.wire import decode

_WINDOW_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length",
                  "max_input_tokens", "input_token_limit", "n_ctx")  # fmt: skip
_INSIDE = ("meta", "limits")  # objects of an entry that may have these fields
_LARGEST = 1_000_000_000  # a greater window is a mistake
_TIMEOUT = 30.0  # seconds; this information is useful and not worth a long wait
_NO_LIST = frozenset({400, 404, 405, 410, 501})  # statuses of servers that do not list models
_OLLAMA_DEFAULT = 4096  # Ollama silently truncates prompts to this, unless it is configured otherwise


async def list_models(client: HttpClient, key: str | None = None, key_name: str = "") -> dict[str, dict[str, Any]]:
    """Return the models that a server lists, by name: none if it has no such list.

    Raises a ModelError if the server cannot be asked. ``key`` is removed from messages, and ``key_name`` is the
    variable that hints name.
    """
    reply = await client.get("/models", timeout=_TIMEOUT)
    if reply.status >= 400 and reply.status not in _NO_LIST:
        refusal = read_refusal(reply.status, reply.headers, reply.body, key)
        raise error_from(refusal, key_name=key_name, has_key=key is not None)
    value = _json(reply)
    entries = (value.get("data") or value.get("models")) if isinstance(value, dict) else value
    entries = entries if isinstance(entries, list) else []
    return {str(entry["id"]): entry for entry in entries if isinstance(entry, dict) and entry.get("id")}


async def fetch_window(client: HttpClient, model: str) -> int | None:
    """Return the window of a model in tokens, or None if the server does not report it.

    Raises an error that may go away if the server is busy or cannot be reached.
    """
    try:
        listed = await list_models(client)
        entry = _entry(listed, model)
        owner = str(entry.get("owned_by", "")).lower()
        if owner == "library" or (listed and ":11434" in client.base_url):
            return await _ollama_window(client, model)
        if found := _window_in(entry):
            return found
        if not listed or not (owner == "llamacpp" or is_private(client.base_url)):
            return None
        return await _llama_cpp_window(client) or _number(_object(entry.get("meta")).get("n_ctx_train"))
    except (ConnectionFailedError, RateLimitedError, ServerFaultError):
        raise
    except ReadAgentError:
        return None


def _entry(listed: dict[str, dict[str, Any]], model: str) -> dict[str, Any]:
    if model in listed:
        return listed[model]
    ending = [entry for name, entry in listed.items() if name.endswith(f"/{model}")]
    return ending[0] if ending else next(iter(listed.values())) if len(listed) == 1 else {}


def _window_in(entry: dict[str, Any]) -> int | None:
    """Return the window in an entry. A provider may serve a model with a smaller one than the model has."""
    provided = _first_window(_object(entry.get("top_provider")))
    own = next(filter(None, (_first_window(_object(place)) for place in (entry, *map(entry.get, _INSIDE)))), None)
    return min(filter(None, (own, provided)), default=None)


def _first_window(place: dict[str, Any]) -> int | None:
    return next(filter(None, (_number(place.get(name)) for name in _WINDOW_FIELDS)), None)


async def _llama_cpp_window(client: HttpClient) -> int | None:
    props = _object(_json(await client.get("//props", timeout=_TIMEOUT)))
    return _number(_object(props.get("default_generation_settings")).get("n_ctx")) or _number(props.get("n_ctx"))


async def _ollama_window(client: HttpClient, model: str) -> int | None:
    """Return the window that Ollama runs the model with, never the larger one that the model was trained for."""
    running = _object(_json(await client.get("//api/ps", timeout=_TIMEOUT))).get("models")
    for entry in running if isinstance(running, list) else []:
        named = isinstance(entry, dict) and model in (entry.get("name"), entry.get("model"))
        if named and (found := _number(entry.get("context_length"))):
            return found
    shown = _object(_json(await client.post("//api/show", {"model": model}, timeout=_TIMEOUT)))
    if not shown:
        return None
    configured = re.search(r"^\s*num_ctx\s+(\d{1,9})", str(shown.get("parameters") or ""), re.M)
    return _number(int(configured[1])) if configured else _OLLAMA_DEFAULT


def _json(reply: HttpReply) -> Any:
    return decode(reply.body) if reply.status == 200 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    """Return a window that was sent as a number or as its digits, if it can be one."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(_LARGEST)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and SMALLEST <= value <= _LARGEST else None
