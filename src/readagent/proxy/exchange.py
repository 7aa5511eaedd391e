"""The two ends of an exchange: what came from a client, and what it gets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from readagent.errors import BadReplyError
from readagent.models.http import RawReply
from readagent.models.wire import decode, encode
from readagent.proxy.callers import TOKEN_HEADER, Caller, for_one_connection, is_credential
from readagent.proxy.endpoint_guard import RefusedRequestError

_SILENCE = 10.0  # seconds without a response, after which a stream has a comment
_COMMENT = b": the text is being looked through\n\n"
_STREAM = "text/event-stream"
_MOST_SAID = 1000  # characters of an error that is no JSON
STOPPING = "the server is stopping"
_PATIENCE = 30.0  # seconds between two pieces of a request
_NOT_SENT = (TOKEN_HEADER, "host", "content-length", "accept-encoding", "expect", "cookie", "origin", "referer",
             "forwarded")  # fmt: skip
_NOT_SENT_PREFIXES = ("sec-", "x-forwarded-", "x-readagent")
_OURS = "x-readagent-"  # headers that only the proxy itself sends


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request: who sent it, and its bytes. One that is ``for_a_message`` was one to Anthropic's API."""

    method: str
    path: str
    query: str
    headers: Headers
    body: bytes
    caller: Caller
    for_a_message: bool = False

    @property
    def target(self) -> str:
        """The path with the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def compressed(self) -> bool:
        """Whether the body is compressed, so that it can only be passed on."""
        return self.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")

    def sent_headers(self) -> list[tuple[str, str]]:
        """Return the headers for the server: those of the client, and the key that is used."""
        dropped = {*_NOT_SENT, *for_one_connection(self.headers.items())}
        kept = [
            (name, value)
            for name, value in self.headers.items()
            if name not in dropped and not name.startswith(_NOT_SENT_PREFIXES) and not is_credential(name)
        ]
        return [*kept, *self.caller.credentials]


@dataclass(frozen=True, slots=True)
class Refused:
    """A response of the server that is not passed on yet."""

    reply: RawReply
    body: bytes


class Outgoing:
    """The response to a client."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self._alive: asyncio.Task[None] | None = None
        self._begun = False  # comments were sent before the response
        self._held: bytearray | None = None  # a response that is no stream, after comments

    async def start(
        self, status: int, headers: Sequence[tuple[str, str]], ours: Iterable[tuple[str, str]], *, edited: bool = False
    ) -> None:
        """Begin it with the headers of the server, and ours; one that is ``edited`` has another length."""
        assert not self.status
        dropped = {*for_one_connection(headers), "date", *(("content-length",) if edited else ())}
        kept = ((name.lower(), value) for name, value in headers)
        theirs = [(name, value) for name, value in kept if name not in dropped and not name.startswith(_OURS)]
        raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in (*theirs, *ours)]
        self.status = status
        await self._stop_comments()
        if self._begun:
            kind = next((value for name, value in theirs if name == "content-type"), "")
            self._held = None if status == 200 and kind.startswith(_STREAM) else bytearray()
            return
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, chunk: bytes) -> None:
        """Send some of the body."""
        if self._held is not None:
            self._held += chunk
        elif chunk:
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def end(self) -> None:
        """End the body; an error that follows comments is the last event."""
        if self._held is not None:
            held, self._held = bytes(self._held), None
            await self.write(b"data: " + _in_one_line(held) + b"\n\n")
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    @asynccontextmanager
    async def comments(self) -> AsyncIterator[None]:
        """Begin a stream of events if the response takes long, and send comments until it is there."""
        self._alive = asyncio.create_task(self._comment())
        try:
            yield
        finally:
            await self._stop_comments()

    async def _comment(self) -> None:
        while True:
            await asyncio.sleep(_SILENCE)
            if not self._begun:
                self._begun = True
                headers = [(b"content-type", b"text/event-stream"), (b"x-readagent-compressed", b"yes")]
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._send({"type": "http.response.body", "body": _COMMENT, "more_body": True})

    async def _stop_comments(self) -> None:
        alive, self._alive = self._alive, None
        if alive is not None:
            alive.cancel()
            await asyncio.gather(alive, return_exceptions=True)


def _in_one_line(body: bytes) -> bytes:
    """Return the JSON of an error in one line, as the data of an event has it."""
    try:
        return encode(decode(body))
    except BadReplyError:
        return encode({"error": {"message": body.decode("utf-8", "replace")[:_MOST_SAID], "type": "api_error"}})


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """Return the body of a request; refuse one that is too large, or does not arrive."""
    length = Headers(scope=scope).get("content-length", "")
    if length.isdecimal() and int(length) > limit:
        raise _too_large(limit)
    body = bytearray()
    while True:
        try:
            message = await asyncio.wait_for(receive(), _PATIENCE)
        except TimeoutError:
            raise RefusedRequestError(408, f"nothing more of the request came for {_PATIENCE:g} seconds") from None
        if message["type"] == "http.disconnect":
            raise RefusedRequestError(400, "the request broke off")
        body += message.get("body", b"")
        if len(body) > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


def _too_large(limit: int) -> RefusedRequestError:
    return RefusedRequestError(413, f"the request has more than {limit:,} bytes")


async def while_connected(receive: Receive, work: Coroutine[Any, Any, None], stopping: asyncio.Event) -> bool:
    """Do some work, and cancel it if the client goes away meanwhile. Return whether it was done.

    If the server stops meanwhile, the work is cancelled, too, and the request is refused.
    """
    task, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({task, gone, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
            return True
        if gone.done():
            return False
        task.cancel()
        await asyncio.wait({task})
        raise RefusedRequestError(503, STOPPING, hint="send the request again later")
    finally:
        for one in (task, gone, stopped):
            one.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await one


async def _disconnected(receive: Receive) -> None:
    message: Message = {"type": ""}
    while message["type"] != "http.disconnect":
        message = await receive()


async def at_most(chunks: AsyncIterator[bytes], limit: int) -> bytes:
    """Return what the chunks have together, up to about the limit."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            break
    return bytes(body)
