"""``/v1/responses`` of the loopback server: a request as a prompt, and the reply as a response or its events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from readagent.errors import BadReplyError
from readagent.models.wire import decode, encode
from readagent.testing.loopback.http import Request
from readagent.testing.loopback.requests import ErrorResponse, ReceivedRequest


def read_response_request(request: Request) -> ReceivedRequest:
    """Parse a request for a response; ``messages`` has its items."""
    try:
        body = decode(request.body)
        given = body["input"]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    except (BadReplyError, KeyError, TypeError) as error:
        raise ErrorResponse(400, f"We could not parse the body of your request: {error}") from error
    texts = [str(body["instructions"])] if body.get("instructions") else []
    prompt = "\n\n".join([*texts, *map(_text, items)])
    parameters = {name: value for name, value in body.items() if name != "input"}
    if "max_output_tokens" in body:
        parameters["max_tokens"] = body["max_output_tokens"]
    return ReceivedRequest(prompt, parameters, request.headers, messages=items, body=request.body)


def _text(item: Mapping[str, Any]) -> str:
    content = item.get("content", item.get("output"))
    if isinstance(content, list):
        return "\n\n".join(str(part.get("text", f"[{part['type']}]")) for part in content)
    return content if isinstance(content, str) else encode(item).decode()


def response_body(received: ReceivedRequest, text: str, usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole response."""
    told = {
        "input_tokens": usage["prompt_tokens"],
        "output_tokens": usage["completion_tokens"],
        "total_tokens": usage["total_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {**_begun(received), "status": "completed", "output": [_message(text)], "usage": told}


def response_events(
    received: ReceivedRequest, pieces: Iterable[str], whole: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the events of a streamed response."""
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**_begun(received), "status": "in_progress", "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**_message(""), "content": []}},
        {"type": "response.content_part.added", **at, "part": _message("")["content"][0]},
        *({"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []} for piece in pieces),
        {"type": "response.completed", "response": whole},
    ]
    yield from ({**event, "sequence_number": number} for number, event in enumerate(events))


def _begun(received: ReceivedRequest) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "created_at": 0, "model": received.parameters["model"], "output": [],
            "tools": [], "tool_choice": "auto", "parallel_tool_calls": True}  # fmt: skip


def _message(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
