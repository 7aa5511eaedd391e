"""A server on this machine is read as it sends: by length, in chunks or to the end, and what is broken is an error."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from readagent.errors import ConnectionFailedError, SlowReplyError
from readagent.models.failures import UnreachableError
from readagent.models.http import HttpClient
from readagent.models.local_http import LocalClient

pytestmark = pytest.mark.anyio

_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Canned:
    """A server that answers each request with the same bytes, and counts connections and requests."""

    def __init__(self, reply: bytes, *, close: bool) -> None:
        self._reply, self._close = reply, close
        self.connections = 0
        self.requests: list[bytes] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.append(task)
        with suppress(OSError):  # the client is gone
            while head := await reader.read(65536):
                self.requests.append(head)
                writer.write(self._reply)
                if self._close:
                    break
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def serving(reply: bytes, *, close: bool = False) -> AsyncIterator[tuple[Canned, HttpClient]]:
    """Yield a server that sends these bytes, and a client of it."""
    canned = Canned(reply, close=close)
    server = await asyncio.start_server(canned.handle, "127.0.0.1", 0)
    client = HttpClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", key="secret", timeout=5)
    try:
        yield canned, client
    finally:
        await client.aclose()
        server.close()
        await asyncio.gather(*canned.tasks)


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        (_OK + b"Content-Length: 5\r\n\r\nHello", b"Hello"),
        (_OK + b"content-length: 5\n\nHello", b"Hello"),
        (_CHUNKED + b"3\r\nHel\r\n2;note=1\r\nlo\r\n0\r\nTrailer: yes\r\n\r\n", b"Hello"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + _OK + b"Content-Length: 0\r\n\r\n", b""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=["length", "bare line feeds", "chunks", "continue", "no content"],
)
async def test_a_reply_is_read_to_its_end_and_its_connection_is_used_again(reply: bytes, body: bytes) -> None:
    async with serving(reply) as (server, client):
        for _ in range(3):
            assert (await client.post("/chat", {"a": 1})).body == body
        assert (server.connections, len(server.requests)) == (1, 3)
        request = server.requests[0]
        assert request.startswith(b"POST /v1/chat HTTP/1.1\r\nHost: 127.0.0.1:")
        assert b"Authorization: Bearer secret\r\n" in request
        assert request.endswith(b'Content-Length: 7\r\n\r\n{"a":1}')


@pytest.mark.parametrize(
    "reply",
    [_OK + b"\r\nHello", b"HTTP/1.0 200 OK\r\n\r\nHello", _OK + b"Connection: close\r\nContent-Length: 5\r\n\r\nHello"],
    ids=["no length", "version 1.0", "connection close"],
)
async def test_a_reply_may_end_with_its_connection(reply: bytes) -> None:
    async with serving(reply, close=True) as (server, client):
        for _ in range(2):
            assert (await client.post("/chat", {})).body == b"Hello"
        assert server.connections == 2


async def test_a_compressed_reply_is_decompressed() -> None:
    packed = gzip.compress(b"Hello")
    reply = _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
    async with serving(reply) as (_, client):
        assert (await client.post("/chat", {})).body == b"Hello"


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        _OK + b"Content-Length: five\r\n\r\nHello",
        _OK + b"Content-Length: 50\r\n\r\nHello",
        _OK + b"no colon\r\n\r\nHello",
        _OK + b"Long: " + b"x" * 200_000 + b"\r\n\r\n",
        _OK + b"A: b\r\n" * 500 + b"\r\n",
        _CHUNKED + b"three\r\nHel\r\n",
        _CHUNKED + b"5\r\nHel",
        _CHUNKED + b"-1\r\nHel\r\n0\r\n\r\n",
    ],
    ids=["nothing", "not HTTP", "no status", "length", "short", "header", "line", "lines", "chunk", "cut", "negative"],
)
async def test_a_reply_that_is_broken_is_a_lost_connection(reply: bytes) -> None:
    async with serving(reply, close=True) as (_, client):
        with pytest.raises(ConnectionFailedError):
            await client.post("/chat", {})


async def test_a_body_that_is_not_read_closes_its_connection() -> None:
    async with serving(_OK + b"Content-Type: text/event-stream\r\nContent-Length: 900\r\n\r\ndata: a\n\n") as (
        server,
        client,
    ):
        for _ in range(2):
            async with client.stream("/chat", {}) as reply:
                assert reply.events is not None
                assert await anext(reply.events) == "a"
        assert server.connections == 2


async def test_a_server_that_closes_an_idle_connection_is_connected_to_again() -> None:
    async with serving(_OK + b"Content-Length: 5\r\n\r\nHello", close=True) as (server, client):
        await client.post("/chat", {})
        local = client._client
        assert isinstance(local, LocalClient)
        assert await local._idle[0]._reader.read() == b""  # the server has closed it
        assert (await client.post("/chat", {})).body == b"Hello"
        assert server.connections == 2


async def test_a_server_that_does_not_answer_is_given_up_and_one_that_is_not_there_is_unreachable() -> None:
    async with serving(b"") as (_, client):
        client._timeout = 0.05
        with pytest.raises(SlowReplyError):
            await client.post("/chat", {})
    with pytest.raises(UnreachableError):
        await HttpClient("http://127.0.0.1:9").post("/chat", {})
