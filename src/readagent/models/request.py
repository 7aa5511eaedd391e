"""The body of a request for a chat completion, with what the server is known to accept."""

from __future__ import annotations

from typing import Any

from readagent.core.model import Ask
from readagent.models.adapt import reply_cap
from readagent.models.capabilities import Capabilities, constraint_value, json_instruction

HARMLESS = Ask("respond", 'Reply with the word "ready".')  # a server that works answers this


def prompt_with(ask: Ask, constraint: str | None) -> str:
    """Return the prompt to send. With a JSON schema, it describes the JSON as well."""
    asked = ask.choice or ask.form
    if constraint != "response_format" or asked is None:
        return ask.prompt
    return ask.prompt + json_instruction(asked)


def request_body(
    ask: Ask,
    model: str,
    prompt: str,
    constraint: str | None,
    known: Capabilities,
    longest: int,
    temperature: float | None,
) -> dict[str, Any]:
    """Return the body of the request; its reply may have ``longest`` tokens at most."""
    asked = ask.choice or ask.form
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": prompt}]}
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
