"""Serve: the HTTP server around the application, from the socket to a stop that loses nothing."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from types import FrameType
from urllib.parse import urlencode

import uvicorn
from starlette.types import ASGIApp

from readagent.errors import UsageError
from readagent.proxy.app import application as proxy_application
from readagent.proxy.proxy import Proxy
from readagent.web.app import application
from readagent.web.patience import patient_protocol
from readagent.web.service import Service

_GRACE = 3  # seconds for responses that are being sent when the server stops
_TO_END = 2  # seconds for the errors that others get then


class GracefulServer(uvicorn.Server):
    """Serves until it is asked to stop. ``end_requests`` ends those that are not answered a few seconds after that.

    ``patience`` is how many seconds a client may take for its headers.
    """

    def __init__(self, app: ASGIApp, *, patience: float, end_requests: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_config=None, access_log=False, server_header=False, lifespan="on", proxy_headers=False,
                timeout_graceful_shutdown=_GRACE + _TO_END, ws="none", http=patient_protocol(patience),
            )
        )  # fmt: skip
        self._end_requests = end_requests

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and wait for the requests that are being answered."""
        ending = asyncio.get_running_loop().call_later(_GRACE, self._end_requests)
        try:
            await super().shutdown(sockets)
        finally:
            ending.cancel()


_BACKLOG = 512
_OWN_HOST = "`host` is an address of this machine: 127.0.0.1 for itself, 0.0.0.0 for others too"


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise UsageError if that is not possible. Port 0 is any free one."""
    listener: socket.socket | None = None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets NODELAY
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        return listener
    except (OSError, UnicodeError, OverflowError) as error:
        if listener is not None:
            listener.close()
        taken = isinstance(error, OSError) and error.errno is not None and "in use" in str(error).lower()
        reason = "the port is taken" if taken else (getattr(error, "strerror", None) or str(error)).lower()
        of_port = taken or isinstance(error, PermissionError)
        hint = "choose another `port`; with `port=0` it is any free one" if of_port else _OWN_HOST
        raise UsageError(f"cannot listen on {host}:{port}: {reason}", hint=hint) from None


def address_of(listener: socket.socket, host: str, **query: str) -> str:
    """Return the address of the page, with a query such as the token."""
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/" + (f"?{urlencode(query)}" if query else "")


class HttpServer(GracefulServer):
    """Ends the streams of events as soon as it is asked to stop; otherwise it would wait for the listeners."""

    def __init__(self, service: Service) -> None:
        super().__init__(application(service), patience=service.options.patience, end_requests=service.proxy.stop)
        self._service = service
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal comes, or ``stop`` is called."""
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal."""
        super().handle_exit(sig, frame)
        self.stop()

    def stop(self) -> None:
        """Accept no more connections and end the streams; may be called on any thread."""
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._service.jobs.end_streams)


def serve(service: Service, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is asked to stop. Jobs that have not ended go on at the next start."""
    try:
        service.start()
        server = HttpServer(service)
        ready()
        asyncio.run(server.serve([listener]))
    finally:
        listener.close()
        service.close()


_HEADERS_WITHIN = 30.0  # seconds


def proxy_server(proxy: Proxy) -> GracefulServer:
    """Return a server that runs until it is asked to stop."""
    return GracefulServer(proxy_application(proxy), patience=_HEADERS_WITHIN, end_requests=proxy.stop)


def serve_proxy(proxy: Proxy, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is asked to stop."""
    try:
        server = proxy_server(proxy)
        ready()
        asyncio.run(server.serve([listener]))
    finally:
        listener.close()
