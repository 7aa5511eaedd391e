"""A minimal HTTP/1.1: requests with bodies, plain responses, chunked event streams."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readagent.models.wire import encode

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
