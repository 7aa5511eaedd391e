"""`readagent proxy`: the HTTP server around a proxy that stands alone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from readagent.proxy.app import application
from readagent.proxy.proxy import Proxy
from readagent.web.graceful import GracefulServer

_HEADERS_WITHIN = 30.0  # seconds


def proxy_server(proxy: Proxy) -> GracefulServer:
    """Return a server that runs until it is asked to stop."""
    return GracefulServer(application(proxy), patience=_HEADERS_WITHIN, end_requests=proxy.stop)


def serve_proxy(proxy: Proxy, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is asked to stop."""
    try:
        server = proxy_server(proxy)
        ready()
        asyncio.run(server.serve([listener]))
    finally:
        listener.close()
