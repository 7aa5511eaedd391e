"""FilteringProxy: the browser's only way to the network. It connects to what its gatekeeper lets through.

It listens on loopback, on one port for web requests and on another for WebSockets, which Chromium sends there whatever
page, frame or worker opens them. Hosts are resolved here and not by the browser.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlsplit

from readagent.errors import LoadError

_HOP_HEADERS = re.compile(rb"^(?:proxy-connection|proxy-authorization|connection|keep-alive):", re.IGNORECASE)
_MAX_HEAD = 256 * 1024  # bytes of the headers of a request or a response
_CONNECT_SECONDS = 20.0
_DEFAULT_PORTS = {"http": 80, "ws": 80}
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_TLS = b"\x16"  # the first byte of an encrypted connection


class Gatekeeper(Protocol):
    """Decides what the proxy connects to."""

    async def addresses(self, url: str, *, socket: bool) -> Sequence[str]:
        """Return the network addresses to connect to for a URL; raise LoadError if it is refused."""
        ...

    def failed(self, url: str, reason: str) -> None:
        """Take note that none of the addresses could be connected to."""
        ...


@dataclass(frozen=True, slots=True)
class _Target:
    """What a request to the proxy asks for. ``head`` is the request to pass on; it is empty for a tunnel."""

    host: str
    port: int
    url: str
    head: bytes = b""


class FilteringProxy:
    """A proxy for one browser. Without a gatekeeper it refuses everything."""

    def __init__(self) -> None:
        self.gatekeeper: Gatekeeper | None = None
        self._servers: list[asyncio.Server] = []
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FilteringProxy:
        for is_socket in (False, True):

            def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sockets: bool = is_socket) -> None:
                task = asyncio.ensure_future(self._serve(reader, writer, socket=sockets))
                self._connections.add(task)
                task.add_done_callback(self._connections.discard)

            self._servers.append(await asyncio.start_server(serve, "127.0.0.1", 0, limit=_MAX_HEAD))
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        await self.shut()

    async def shut(self) -> None:
        """Refuse everything from now on, and end all connections: a browser keeps tunnels for later requests."""
        self.gatekeeper = None
        tasks = list(self._connections)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def browser_flags(self) -> list[str]:
        """Return the flags with which Chromium sends everything through this proxy and resolves no host itself."""
        web, sockets = (server.sockets[0].getsockname()[1] for server in self._servers)
        through = f"http=127.0.0.1:{web};https=127.0.0.1:{web};socks=http://127.0.0.1:{sockets}"
        return [
            f"--proxy-server={through}",
            "--proxy-bypass-list=<-loopback>",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        ]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, socket: bool) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._forward(reader, writer, socket=socket)
        finally:
            writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, socket: bool) -> None:
        target = _target(await reader.readuntil(b"\r\n\r\n"), socket=socket)
        if target is None:
            return await _refuse(writer, "400 Bad Request", "this is not a request to a proxy")
        if self.gatekeeper is None:
            return await _refuse(writer, "403 Forbidden", "no page is open")
        gatekeeper, first = self.gatekeeper, b""
        if socket and not target.head:  # what comes first tells whether the WebSocket is encrypted
            writer.write(_ESTABLISHED)
            first = await reader.read(64 * 1024)
            scheme = "wss" if first[:1] == _TLS else "ws"
            target = replace(target, url=scheme + target.url.removeprefix("ws"))
        try:
            addresses = await gatekeeper.addresses(target.url, socket=socket)
            far_reader, far_writer = await _connect(addresses, target.port)
        except LoadError as error:
            return await _refuse(writer, "403 Forbidden", str(error)) if not first else None
        except OSError as error:
            gatekeeper.failed(target.url, (os.strerror(error.errno) if error.errno else str(error)).lower())
            if not target.head and not first:
                await _refuse(writer, "502 Bad Gateway", "no connection")
            return None  # a plain request gets no reply, which fails; the browser would show a reply as a page
        try:
            if target.head:
                far_writer.write(target.head)
            elif first:
                far_writer.write(first)
            else:
                writer.write(_ESTABLISHED)
            sending = asyncio.ensure_future(_copy(reader, far_writer))
            try:
                if target.head:
                    await _copy_heads(far_reader, writer)
                await _copy(far_reader, writer)
            finally:
                sending.cancel()
        finally:
            far_writer.close()


def _target(head: bytes, *, socket: bool) -> _Target | None:
    """Parse a request to the proxy: ``CONNECT host:port``, or a request with a whole URL."""
    first, _, rest = head.partition(b"\r\n")
    try:
        method, where, version = first.decode("ascii").split(" ")
        if method == "CONNECT":
            parts = urlsplit(f"//{where}")
            url = f"{'ws' if socket else 'https'}://{where}/"
        else:
            parts, url = urlsplit(where), where
        host, port = parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    if not host or not port:
        return None
    if method == "CONNECT":
        return _Target(host, port, url)
    if parts.scheme != "http":
        return None
    path = parts._replace(scheme="", netloc="").geturl() or "/"
    headers = [line for line in rest.split(b"\r\n") if line and not _HOP_HEADERS.match(line)]
    lines = [f"{method} {path} {version}".encode("ascii"), *headers, b"Connection: close", b"", b""]
    return _Target(host, port, url, b"\r\n".join(lines))


async def _connect(addresses: Sequence[str], port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first address that answers."""
    failure: OSError = OSError("the host has no address")
    for address in addresses:
        try:
            return await asyncio.wait_for(asyncio.open_connection(address, port, limit=_MAX_HEAD), _CONNECT_SECONDS)
        except TimeoutError:
            failure = OSError("the host does not answer")
        except OSError as error:
            failure = error
    raise failure


async def _copy_heads(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on the head of a response, and those of informational ones before it.

    The connection is closed after the response: the next request may be for another host.
    """
    informational = True
    while informational:
        first, _, rest = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        informational = re.match(rb"HTTP/1\.\d 1(?!01)\d\d", first) is not None
        headers = [line for line in rest.split(b"\r\n") if line and not _HOP_HEADERS.match(line)]
        closing = [] if informational else [b"Connection: close"]
        writer.write(b"\r\n".join([first, *headers, *closing, b"", b""]))
        await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(64 * 1024):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _refuse(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    body = reason.encode("utf-8", "replace")
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
    writer.write(head.encode("ascii") + b"Connection: close\r\n\r\n" + body)
    await writer.drain()
