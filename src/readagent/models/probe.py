"""Inquiring of a server: which models it lists, and how much its model takes in at once."""

from __future__ import annotations

import re
from typing import Any

from readagent.errors import ReadAgentError
from readagent.models.http import Heard, Line
from readagent.models.wire import decode

_FIELDS = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length",
           "max_input_tokens", "input_token_limit", "n_ctx")  # fmt: skip
_OLLAMA_DEFAULT = 4096  # what Ollama cuts prompts to, without a word, unless it was told otherwise


async def listed_models(line: Line) -> dict[str, dict[str, Any]]:
    """The models a server lists, by name; an error of ours where it cannot be asked."""
    value = _value(await line.get("/models"))
    entries = (value.get("data") or value.get("models")) if isinstance(value, dict) else value
    entries = entries if isinstance(entries, list) else []
    return {str(entry["id"]): entry for entry in entries if isinstance(entry, dict) and entry.get("id")}


async def inquire_window(line: Line, model: str) -> int | None:
    """The window of a model in tokens, from whatever the server tells about it; None where it tells nothing."""
    try:
        entry = _entry(await listed_models(line), model)
        owner = str(entry.get("owned_by", "")).lower()
        if owner == "library" or ":11434" in line.base_url:
            return await _ollama_window(line, model)
        if found := _in_entry(entry):
            return found
        return await _llama_cpp_window(line) or _number(_object(entry.get("meta")).get("n_ctx_train"))
    except ReadAgentError:
        return None


def _entry(listed: dict[str, dict[str, Any]], model: str) -> dict[str, Any]:
    if model in listed:
        return listed[model]
    ending = [entry for name, entry in listed.items() if name.endswith(f"/{model}")]
    return ending[0] if ending else next(iter(listed.values())) if len(listed) == 1 else {}


def _in_entry(entry: dict[str, Any]) -> int | None:
    for place in (entry, _object(entry.get("top_provider")), _object(entry.get("meta"))):
        for name in _FIELDS:
            if found := _number(place.get(name)):
                return found
    return None


async def _llama_cpp_window(line: Line) -> int | None:
    props = _object(_value(await line.get("//props")))
    return _number(_object(props.get("default_generation_settings")).get("n_ctx")) or _number(props.get("n_ctx"))


async def _ollama_window(line: Line, model: str) -> int | None:
    """What Ollama runs the model with, or would: never the larger window that the model was trained for."""
    running = _object(_value(await line.get("//api/ps"))).get("models")
    for entry in running if isinstance(running, list) else []:
        named = isinstance(entry, dict) and model in (entry.get("name"), entry.get("model"))
        if named and (found := _number(entry.get("context_length"))):
            return found
    shown = _object(_value(await line.post("//api/show", {"model": model})))
    if not shown:
        return None
    told = re.search(r"^\s*num_ctx\s+(\d{1,9})", str(shown.get("parameters") or ""), re.M)
    return int(told[1]) if told else _OLLAMA_DEFAULT


def _value(heard: Heard) -> Any:
    return decode(heard.body) if heard.status == 200 else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None
