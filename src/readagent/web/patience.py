"""How long slow clients are waited for: for the headers of a request, and between two pieces of its body."""

from __future__ import annotations

import asyncio

import h11
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from readagent.web.problems import RefusedError


class PatientApp:
    """Refuses a request when no piece of its body comes for ``seconds``. Responses may take as long as they like."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with a limit on its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        arrived = False

        async def limited() -> Message:
            nonlocal arrived
            if arrived:  # the next message is the end of the connection
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), self._seconds)
            except TimeoutError:
                raise RefusedError(
                    408, f"nothing more of the request came for {self._seconds:g} seconds", hint="send it again"
                ) from None
            arrived = not message.get("more_body", False)
            return message

        await self._app(scope, limited, send)


def patient_protocol(seconds: float) -> type[H11Protocol]:
    """Return a protocol that closes connections whose headers have not arrived after so many seconds."""

    class PatientProtocol(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._limit()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
                self._limit()
            else:
                self._forget()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def _limit(self) -> None:
            """Begin to count, unless that was begun before: each piece does not begin it anew."""
            if self._deadline is None:
                self._deadline = self.loop.call_later(seconds, self.transport.close)

        def _forget(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return PatientProtocol
