"""The body of a request for a chat completion, with what the server is known to accept."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from readagent.core.model import Ask
from readagent.errors import UsageError
from readagent.models.adapt import reply_cap
from readagent.models.capabilities import Capabilities, constraint_value, json_instruction

_OURS = {
    "model": "`model`", "messages": "", "stream": "", "stream_options": "", "response_format": "", "n": "", "tools": "",
    "temperature": "`temperature`", "max_tokens": "", "max_completion_tokens": "",
}  # fmt: skip
HARMLESS = Ask("respond", 'Reply with the word "ready".')  # a server that works answers this


def prompt_with(ask: Ask, constraint: str | None) -> str:
    """Return the prompt to send. With a JSON schema, it describes the JSON as well."""
    asked = ask.choice or ask.form
    if constraint != "response_format" or asked is None:
        return ask.prompt
    return ask.prompt + json_instruction(asked)


def checked_options(table: Any, origin: str) -> dict[str, Any]:
    """Return the options that are sent with every request. Raises UsageError for those that ReadAgent sets itself."""
    if not isinstance(table, Mapping):
        raise UsageError(f"model_options in {origin} must be a table", hint='for example: reasoning_effort = "low"')
    for name, value in table.items():
        if not isinstance(name, str):
            raise UsageError(f"the name of a model option in {origin} must be a text, not {name!r}")
        if name in _OURS:
            hint = f"use {_OURS[name]}" if _OURS[name] else "leave it out"
            raise UsageError(f"{name} is set by readagent and cannot be a model option", hint=hint)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise UsageError(
                f"the model option {name} from {origin} has a value that JSON does not have: {value!r}",
                hint="give a finite number, a text, true or false, a list, or a table of these",
            ) from None
    return dict(table)


def request_body(
    ask: Ask,
    model: str,
    prompt: str,
    constraint: str | None,
    known: Capabilities,
    longest: int,
    temperature: float | None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the body of the request; its reply may have ``longest`` tokens at most. ``options`` are the user's."""
    asked = ask.choice or ask.form
    message = {"role": "user", "content": _parts(prompt, ask.picture) if ask.picture else prompt}
    body: dict[str, Any] = {"model": model, "messages": [message], **(options or {})}
    if constraint is not None and asked is not None:
        body[constraint] = constraint_value(constraint, asked)
    if temperature is not None and "temperature" not in known.drop:
        body["temperature"] = temperature
    cap = reply_cap(known)
    if cap is not None:
        body[cap] = min(longest, ask.max_reply or longest)
    if ask.listen is not None and known.streams is not False:
        body["stream"] = True
        if "stream_options" not in known.drop:
            body["stream_options"] = {"include_usage": True}
    return body


def _parts(prompt: str, picture: bytes) -> list[dict[str, Any]]:
    url = f"data:image/png;base64,{b64encode(picture).decode()}"
    return [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": url}}]
