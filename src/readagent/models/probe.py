"""Probing a server: which models it lists, how much its model takes, and whether it answers, streams and constrains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from readagent.core.choice import Choice
from readagent.core.model import Ask
from readagent.errors import ReadAgentError
from readagent.models.capabilities import WAYS, Constrain
from readagent.models.http import Heard, Line
from readagent.models.wire import decode

if TYPE_CHECKING:
    from readagent.models.endpoint import Endpoint

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


@dataclass(frozen=True, slots=True)
class Check:
    """What was found out. ``seconds`` is how long the first reply took; ``error`` is empty where all went well."""

    answers: bool = False
    model: str = ""
    known: bool | None = None
    streams: bool | None = None
    constrains: Constrain = "unknown"
    window: int | None = None
    seconds: float = 0.0
    error: str = ""
    hint: str = ""


async def check(endpoint: Endpoint) -> Check:
    """Ask the server a few small things."""
    answers, seconds = False, 0.0
    error, hint = "", ""
    try:
        await endpoint.settle()
        began = perf_counter()
        await endpoint.complete(Ask("respond", 'Reply with the word "ready".', listen=_ignore))
        answers, seconds = True, perf_counter() - began
        decision = Ask("merge", "Is water wet? Reply with one of: yes, no.", Choice(("yes", "no")))
        for _ in WAYS:
            if endpoint.facts.constrain != "unknown":
                break
            await endpoint.complete(decision)
    except ReadAgentError as failure:
        error, hint = str(failure), failure.hint
    return Check(
        answers,
        endpoint.model,
        await endpoint.lists_model() if answers else None,
        endpoint.facts.streams,
        endpoint.facts.constrain,
        await endpoint.window() if answers else None,
        seconds,
        error,
        hint,
    )


def _ignore(piece: str) -> None:
    """The text of the test reply is of no interest."""
