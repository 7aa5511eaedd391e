"""A client for model servers on this machine: HTTP/1.1 over asyncio's streams.

Such a server needs neither TLS nor a proxy. Without the layers for these, a request takes a small part of the CPU time,
which counts where many short requests are made. Failures are those of httpx2, for ``models/http.py``.
"""

from __future__ import annotations

import asyncio
import string
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import lru_cache
from typing import NamedTuple

import httpx2

_MOST_LINES = 200  # of the head of a reply
_LONGEST_LINE = 1 << 16  # bytes
_PIECE = 1 << 16  # bytes that are read at once
_MOST_IDLE = 64  # connections that are kept open

_Headers = list[tuple[bytes, bytes]]


class LocalResponse:
    """A response whose body is not compressed. It has what is used of the responses of httpx2."""

    def __init__(self, status_code: int, headers: httpx2.Headers, connection: _Connection) -> None:
        self.status_code, self.headers = status_code, headers
        self._connection = connection

    def aiter_bytes(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives."""
        return self._connection.body()


class LocalClient:
    """Sends each request over a connection of its own, or over an idle one. ``connect_timeout`` is in seconds.

    ``headers`` are sent with every request.
    """

    def __init__(self, headers: Sequence[tuple[str, str]], connect_timeout: float) -> None:
        agent = f"python-httpx2/{httpx2.__version__}"
        usual = [("Accept", "*/*"), ("Connection", "keep-alive"), ("User-Agent", agent)]
        self._headers = _encoded([*usual, *headers])
        self._connect_timeout = connect_timeout
        self._idle: list[_Connection] = []

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> AsyncIterator[LocalResponse | httpx2.Response]:
        """Send a request, and yield the response as soon as its head is there. Its body is read in the block."""
        to = _parsed(url)
        connection = self._taken() or await self._connected(to)
        try:
            length = [] if content is None else [(b"Content-Length", b"%d" % len(content))]
            about = [(b"Host", to.server), *self._headers, *_encoded([*headers.items()]), *length]
            connection.send(method, to.path, about, content or b"")
            status, received = await connection.head()
            found = httpx2.Headers(received)
            if found.get("content-encoding", "identity").lower() in ("", "identity"):
                yield LocalResponse(status, found, connection)
            else:
                yield httpx2.Response(status, headers=found, stream=_Body(connection))
        finally:
            if connection.is_done and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _taken(self) -> _Connection | None:
        """Return an idle connection that the server has not closed, if there is one."""
        while self._idle:
            connection = self._idle.pop()
            if connection.is_done:
                return connection
            connection.close()
        return None

    async def _connected(self, to: _Address) -> _Connection:
        try:
            async with asyncio.timeout(self._connect_timeout):
                reader, writer = await asyncio.open_connection(to.host, to.port, limit=_LONGEST_LINE)
        except TimeoutError as error:
            raise httpx2.ConnectTimeout("no connection in time") from error
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from error
        return _Connection(reader, writer)

    async def aclose(self) -> None:
        """Close the connections that are idle."""
        while self._idle:
            self._idle.pop().close()
        await asyncio.sleep(0)  # the loop closes their sockets


class _Address(NamedTuple):
    """Where a request goes, in the form in which it is sent."""

    host: str
    port: int
    server: bytes
    path: bytes


@lru_cache(maxsize=64)
def _parsed(url: str) -> _Address:
    parts = httpx2.URL(url)
    return _Address(parts.host, parts.port or 80, parts.netloc, parts.raw_path)


def _encoded(headers: Sequence[tuple[str, str]]) -> _Headers:
    return [(name.encode(), value.encode()) for name, value in headers]


class _Connection:
    """A connection to a server, for one request at a time. ``left`` are the bytes of a body still to be read.

    That is None if the body ends with the connection, and -1 before each chunk of a body in chunks.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._chunked = False
        self._left: int | None = 0
        self._persistent = True

    @property
    def is_done(self) -> bool:
        """Whether the last body was read to its end, and the connection can be used again."""
        is_open = self._persistent and not (self._reader.at_eof() or self._writer.is_closing())
        return is_open and self._left == 0 and not self._chunked

    def send(self, method: str, path: bytes, headers: _Headers, content: bytes) -> None:
        """Send a request. The server takes it up while its reply is waited for."""
        self._left = None  # until the reply is there, the connection cannot be used for another request
        lines = [b"%s %s HTTP/1.1" % (method.encode(), path), *(b"%s: %s" % pair for pair in headers), b"", content]
        self._writer.write(b"\r\n".join(lines))

    async def head(self) -> tuple[int, _Headers]:
        """Return the status and the headers of the reply."""
        status = 100
        while 100 <= status < 200:  # the server goes on
            version, _, rest = (await self._line()).partition(b" ")
            if not version.startswith(b"HTTP/1.") or not rest[:3].isdigit():
                raise httpx2.RemoteProtocolError("the reply is not HTTP")
            status, headers = int(rest[:3]), await self._headers()
        known = {name.lower(): value.lower() for name, value in headers}
        self._persistent = version == b"HTTP/1.1" and b"close" not in known.get(b"connection", b"")
        self._chunked, length = b"chunked" in known.get(b"transfer-encoding", b""), known.get(b"content-length")
        if status in (204, 304):
            self._chunked, length = False, b"0"
        if length is not None and not length.isdigit():
            raise httpx2.RemoteProtocolError("the length of the reply is no number")
        self._left = -1 if self._chunked else None if length is None else int(length)
        return status, headers

    async def body(self) -> AsyncGenerator[bytes, None]:
        """Yield the body of the reply as it arrives."""
        while True:
            if self._left == -1:
                self._left = await self._chunk_size()
            if self._left == 0:
                return
            piece = await self._read(_PIECE if self._left is None else min(_PIECE, self._left))
            if not piece and self._left is None:
                return
            if not piece:
                raise httpx2.RemoteProtocolError("the connection was closed before the end of the reply")
            if self._left is not None:
                self._left -= len(piece)
                if self._chunked and self._left == 0:
                    await self._line()
                    self._left = -1
            yield piece

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()

    async def _chunk_size(self) -> int:
        """Return the bytes of the next chunk; 0 after the last one, when nothing is left of the body."""
        digits = (await self._line()).partition(b";")[0].strip()
        if not digits or digits.strip(string.hexdigits.encode()):
            raise httpx2.RemoteProtocolError("a chunk of the reply has no length")
        size = int(digits, 16)
        if not size:
            await self._headers()
            self._chunked = False
        return size

    async def _headers(self) -> _Headers:
        """Return the headers up to the next empty line."""
        found: _Headers = []
        while line := await self._line():
            name, colon, value = line.partition(b":")
            if not colon or not name or len(found) == _MOST_LINES:
                raise httpx2.RemoteProtocolError("the reply has no proper headers")
            found.append((name.strip(), value.strip()))
        return found

    async def _line(self) -> bytes:
        try:
            line = await self._reader.readline()
        except (OSError, ValueError) as error:  # the connection is lost, or the line is too long
            raise httpx2.ReadError(str(error)) from error
        if not line.endswith(b"\n"):
            raise httpx2.RemoteProtocolError("the connection was closed before the end of the reply")
        return line.rstrip(b"\r\n")

    async def _read(self, most: int) -> bytes:
        try:
            return await self._reader.read(most)
        except OSError as error:
            raise httpx2.ReadError(str(error)) from error


class _Body(httpx2.AsyncByteStream):
    """The body of a response that httpx2 decompresses."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._connection.body()) as pieces:
            async for piece in pieces:
                yield piece
