"""A server that answers all requests before it stops: those that take too long get an error."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from readagent.web.patience import patient_protocol

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
