"""Requests to the loopback server: the parameters of a completion, the constraint in them, and error responses."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readagent.errors import BadReplyError
from readagent.models.wire import decode
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

    ``parameters`` has the JSON body without the messages. ``fault`` is the fault that was applied, and ``finished``
    is True once the whole reply was sent. Header names are in lower case.
    """

    prompt: str
    parameters: dict[str, Any]
    headers: Mapping[str, str]
    fault: Fault | None = None
    finished: bool = False


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
        prompt = "\n\n".join(str(message["content"]) for message in messages)
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    return ReceivedRequest(prompt, {name: value for name, value in body.items() if name != "messages"}, request.headers)


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
