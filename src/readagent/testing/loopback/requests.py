"""Requests to the loopback server over a minimal HTTP/1.1, and those that it refuses or fails on."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from readagent.errors import BadReplyError
from readagent.models.wire import decode, encode
from readagent.testing.faults import Fault

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
            429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read the next request of a connection; None if the client has closed it."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, path, _ = head[0].split(" ", 2)
    pairs = (line.split(":", 1) for line in head[1:] if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    path, _, query = path.partition("?")
    return Request(method, path, headers, body, query)


class Writer:
    """Writes responses to one connection."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    async def send(
        self, status: int, value: Any, headers: Mapping[str, str] | None = None, *, cut: bool = False
    ) -> None:
        """Send a whole response: bytes unchanged, anything else as JSON. ``cut`` sends only the first half."""
        body = value if isinstance(value, bytes) else encode(value)
        kind = "text/html" if isinstance(value, bytes) and value.startswith(b"<") else "application/json"
        fields = {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}
        self._head(status, fields)
        self._stream.write(body[: len(body) // 2] if cut else body)
        await self._stream.drain()

    async def start(self, headers: Mapping[str, str]) -> None:
        """Start a response whose body is sent with ``raw``."""
        self._head(200, {"Content-Type": "application/json", **headers})
        await self._stream.drain()

    async def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._stream.write(data)
        await self._stream.drain()

    async def start_events(self) -> None:
        """Start a stream of server-sent events."""
        self._head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        await self._stream.drain()

    async def event(self, data: Any) -> None:
        """Send one event: a string unchanged, anything else as JSON."""
        payload = data.encode() if isinstance(data, str) else encode(data)
        await self.chunk(b"data: " + payload + b"\n\n")

    async def end_events(self) -> None:
        """End the stream."""
        await self.chunk(b"")

    async def chunk(self, data: bytes) -> None:
        """Send bytes of a stream that ``start_events`` started; none end it."""
        await self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _head(self, status: int, fields: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}", *(f"{k}: {v}" for k, v in fields.items())]
        self._stream.write("\r\n".join([*lines, "", ""]).encode("latin-1"))


Constrain = Literal["schema", "none", "ignore"]
Counts = Literal["prompt", "request", "vague"]


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

    @property
    def tools(self) -> str:
        """The tools as JSON: servers count them with the prompt."""
        return encode(self.parameters["tools"]).decode() if self.parameters.get("tools") else ""


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
    form = parameters.get("response_format")
    return dict(form["json_schema"]["schema"]) if form else None


_BAD_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


def check_parameters(
    received: ReceivedRequest, models: Sequence[str], rejects: Sequence[str], constrain: Constrain
) -> None:
    """Refuse a request for another model, or with a parameter that this server does not support."""
    parameters = received.parameters
    if parameters.get("model") not in models:
        raise ErrorResponse(404, f"The model `{parameters.get('model')}` does not exist", code="model_not_found")
    for name in rejects:
        if name in parameters:
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            raise ErrorResponse(400, f"Unsupported parameter: '{name}' is not supported with this model.{instead}",
                                param=name, code="unsupported_parameter")  # fmt: skip
    if "response_format" in parameters and constrain == "none":
        raise ErrorResponse(400, "Unrecognized request argument supplied: response_format", param="response_format")


def check_size(received: ReceivedRequest, window: int | None, counts: Counts, count: Callable[[str], int]) -> None:
    """Refuse a request that does not fit the window."""
    size = max(map(count, received.parameters.get("input", [received.prompt]))) + count(received.tools)
    reply = received.parameters.get("max_tokens", 1) if counts != "prompt" else 0
    if counts == "vague" and window is not None and size + reply > window:
        message = "Please reduce the length of the messages or completion."
        raise ErrorResponse(400, message, code="context_length_exceeded")
    if received.fault == "overflow" or (window is not None and size + reply > window):
        limit = size - 1 if window is None or size <= window else window
        raise ErrorResponse(
            400,
            f"This model's maximum context length is {limit} tokens. However, your messages resulted in {size} "
            "tokens. Please reduce the length of the messages.",
            code="context_length_exceeded",
        )


async def send_fault(received: ReceivedRequest, writer: Writer, retry_after: float | str) -> bool:
    """Send the fault that replaces the completion. Returns False if a completion must be sent."""
    fault = received.fault
    if fault == "429":
        body = {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}
        await writer.send(429, body, {"Retry-After": str(retry_after)})
    elif fault == "500":
        await writer.send(500, {"error": {"message": "The server had an error while processing your request"}})
    elif fault == "html":
        await writer.send(502, _BAD_GATEWAY)
    elif fault == "blocked":
        raise ErrorResponse(403, "Your input was flagged by moderation.", code="content_policy_violation")
    elif fault == "wrong key":
        raise ErrorResponse(401, "Incorrect API key provided.", code="invalid_api_key")
    elif fault == "malformed" and received.parameters.get("stream"):
        await writer.start_events()
        await writer.event('{"choices": [{"delta": {"content": "half')
        await writer.end_events()
    elif fault == "malformed":
        await writer.send(200, b'{"id": "chatcmpl-1", "choices": [{"index": 0, "mess')
    else:
        return False
    return True
