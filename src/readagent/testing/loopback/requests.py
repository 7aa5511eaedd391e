"""Requests to the loopback server: the parameters of a completion, the constraint in them, and error responses."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from readagent.errors import BadReplyError
from readagent.models.wire import decode, encode
from readagent.testing.faults import Fault
from readagent.testing.loopback.http import Request

Constrain = Literal["schema", "choice", "guided", "grammar", "none", "ignore"]
Counts = Literal["prompt", "request", "vague"]

PARAMETERS: Mapping[str, Constrain] = {
    "response_format": "schema", "structured_outputs": "choice", "guided_choice": "guided", "grammar": "grammar",
}  # fmt: skip


@dataclass(slots=True)
class ReceivedRequest:
    """A request that a LoopbackServer received, and how it answered.

    ``prompt`` is the text of all messages. ``parameters`` has the JSON body without the messages, ``messages`` has
    these, and ``body`` is all of it as it came. ``fault`` is the fault that was applied, and ``finished``
    is True once the whole reply was sent. Header names are in lower case.
    """

    prompt: str
    parameters: dict[str, Any]
    headers: Mapping[str, str]
    fault: Fault | None = None
    finished: bool = False
    messages: list[dict[str, Any]] = field(default_factory=list)
    body: bytes = b""


class ErrorResponse(Exception):  # noqa: N818
    """Raised to answer a request with an error."""

    def __init__(self, status: int, message: str, **fields: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "invalid_request_error", **fields}}


def tokens(text: str) -> int:
    """Count tokens as this server does: four characters each."""
    return math.ceil(len(text) / 4)


def read_completion(request: Request) -> ReceivedRequest:
    """Parse a request for a completion."""
    try:
        body = decode(request.body)
        messages = body["messages"]
        prompt = "\n\n".join(_text(message) for message in messages)
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    parameters = {name: value for name, value in body.items() if name != "messages"}
    return ReceivedRequest(prompt, parameters, request.headers, messages=messages, body=request.body)


def _text(message: Mapping[str, Any]) -> str:
    """Return the text of a message: its content, the texts of its parts, and its calls of tools as JSON."""
    content, calls = message["content"], message.get("tool_calls")
    if isinstance(content, list):
        content = "\n\n".join(str(part.get("text", f"[{part['type']}]")) for part in content)
    texts = ([] if calls and not content else [str(content)]) + ([encode(calls).decode()] if calls else [])
    return "\n\n".join(texts)


def constraint_of(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the constraint on the reply as a JSON schema, or None."""
    if form := parameters.get("response_format"):
        return dict(form["json_schema"]["schema"])
    if choices := (parameters.get("structured_outputs") or {}).get("choice") or parameters.get("guided_choice"):
        return {"type": "string", "enum": list(choices)}
    if grammar := parameters.get("grammar"):
        root, _, rest = str(grammar).partition("\n")
        if not rest:
            return {"type": "string", "enum": re.findall(r'"([^"]*)"', root)}
        most = re.search(r"\{0,(\d+)\}", root)
        values = {"type": "string", "enum": re.findall(r'"([^"]*)"', rest)}
        return {"type": "array", "items": values, "minItems": 0 if ")?" in root else 1,
                "maxItems": 1 + int(most[1]) if most else 1}  # fmt: skip
    return None
