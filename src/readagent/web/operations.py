"""Operation: one method of one path, with the types of its request and its response, as a route of Starlette.

The routes and the OpenAPI description are made from the same operations, so that they cannot differ.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from readagent.errors import ReadAgentError
from readagent.models.wire import encode
from readagent.web.problems import RefusedError, problem_of, status_of
from readagent.web.service import Service

JSON = "application/json"
_MAX_BODY = 50_000_000  # bytes of a request in JSON
_UNREAD = (408, 413)  # the rest of the request is not read, so that the connection is of no more use


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an operation, with the body decoded."""

    service: Service
    request: Request
    body: Any = None

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    def number(self, name: str) -> int:
        """Return a part of the path that is a number."""
        text = self.path(name)
        if not text.isascii() or not text.isdecimal() or len(text) > 15:
            raise RefusedError(404, f"there is no {name} {text!r}")
        return int(text)

    def query(self, name: str, default: str = "") -> str:
        """Return a parameter of the query."""
        return self.request.query_params.get(name, default)

    def query_number(self, name: str, default: int) -> int:
        """Return a parameter of the query that is a number."""
        text = self.query(name) or str(default)
        if not text.isascii() or not text.isdecimal() or len(text) > 15:
            raise RefusedError(400, f"{name} must be a whole number, not {text[:40]!r}")
        return int(text)


Handler = Callable[[Call], Any]  # a coroutine function, or a function, which is called on a thread


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path. ``body`` and ``returns`` are types that msgspec knows; ``media`` is set for other content.

    ``query`` are the parameters of the query with what they mean. ``otherwise`` is a second status of success and what
    it means; a handler that answers with it returns the whole response.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    returns: Any = None
    body: Any = None
    status: int = 200
    query: Sequence[tuple[str, str]] = ()
    media: str = JSON
    otherwise: tuple[int, str] | None = None

    def endpoint(self, service: Service) -> Callable[[Request], Awaitable[Response]]:
        """Return the function that answers a request."""

        async def answer(request: Request) -> Response:
            try:
                body = await self._decoded(request) if self.body is not None else None
                result = await self._handled(Call(service, request, body))
            except ReadAgentError as error:
                return failure(error)
            except ClientDisconnect:
                return failure(broken_off())
            if isinstance(result, Response):
                return result
            if self.returns is None:
                return Response(status_code=204)
            data = await service.on_thread(as_json, result)
            if self.method != "GET":
                return Response(data, self.status, media_type=JSON)
            tag = f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
            if request.headers.get("if-none-match") == tag:
                return Response(status_code=304, headers={"etag": tag})
            return Response(data, self.status, {"etag": tag}, media_type=JSON)

        return answer

    async def _handled(self, call: Call) -> Any:
        if inspect.iscoroutinefunction(self.handler):
            return await self.handler(call)
        return await call.service.on_thread(self.handler, call)

    async def _decoded(self, request: Request) -> Any:
        chunks, size = [], 0
        async for chunk in request.stream():
            chunks.append(chunk)
            size += len(chunk)
            if size > _MAX_BODY:
                raise RefusedError(413, f"the request is larger than {_MAX_BODY // 1_000_000} MB")
        try:
            return msgspec.json.decode(b"".join(chunks) or b"{}", type=self.body)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise RefusedError(422, f"the request is not as expected: {error}", hint="see /api/docs") from None


def as_json(value: Any) -> bytes:
    """Return a value as JSON; what UTF-8 cannot encode is replaced, character by character, so that offsets stay."""
    return encode(msgspec.to_builtins(value))


def broken_off() -> RefusedError:
    """Return the error for a request whose client went away; only the metrics see it."""
    return RefusedError(400, "the connection was closed before the whole request had arrived")


def failure(error: ReadAgentError) -> Response:
    """Return the response for an error."""
    status = status_of(error)
    headers = {"connection": "close"} if status in _UNREAD else None
    return Response(as_json(problem_of(error)), status, headers, media_type=JSON)
