"""`readagent proxy`: the HTTP server around a proxy that stands alone."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from readagent.proxy.app import application
from readagent.proxy.proxy import Proxy
from readagent.web.patience import patient_protocol

_GRACE = 3  # seconds for responses that are being sent when the server stops
_HEADERS_WITHIN = 30.0  # seconds


def proxy_server(proxy: Proxy) -> uvicorn.Server:
    """Return a server that runs until it is asked to stop."""
    return uvicorn.Server(
        uvicorn.Config(
            application(proxy), log_config=None, access_log=False, server_header=False, lifespan="on",
            proxy_headers=False, timeout_graceful_shutdown=_GRACE, ws="none", http=patient_protocol(_HEADERS_WITHIN),
        )
    )  # fmt: skip


def serve_proxy(proxy: Proxy, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is asked to stop."""
    try:
        server = proxy_server(proxy)
        ready()
        asyncio.run(server.serve([listener]))
    finally:
        listener.close()
