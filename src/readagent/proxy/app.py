"""The routes of the proxy, for an application of its own or inside another one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, quote

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readagent.errors import ReadAgentError
from readagent.proxy.callers import is_credential
from readagent.proxy.endpoint_guard import HEALTH, ProxyGuard, RefusedRequestError, refusal_of, response_to
from readagent.proxy.exchange import Incoming, Outgoing, read_body, while_connected
from readagent.proxy.messages_door import MessagesDoor, exchange_of
from readagent.proxy.proxy import Proxy

PREFIX = "/v1"
_PATHS: Mapping[str, tuple[str, ...]] = {
    "/chat/completions": ("POST",),
    "/responses": ("POST",),
    "/completions": ("POST",),
    "/embeddings": ("POST",),
    "/messages": ("POST",),
    "/messages/count_tokens": ("POST",),
    "/models": ("GET",),
    "/models/{model:path}": ("GET",),
    "/responses/input_tokens": ("POST",),
    "/responses/compact": ("POST",),
    "/responses/{response}": ("GET", "DELETE"),
    "/responses/{response}/cancel": ("POST",),
    "/responses/{response}/input_items": ("GET",),
    "/conversations": ("POST",),
    "/conversations/{conversation}": ("GET", "POST", "DELETE"),
    "/conversations/{conversation}/items": ("GET", "POST"),
    "/conversations/{conversation}/items/{item}": ("GET", "DELETE"),
}
_PLAIN_IN_PATHS = "/-._~!$&'()*+,;=:@"
_KEY_HINT = "send it in a header, such as Authorization or api-key"


class Door:
    """Answers the requests to one path. Where there is no server to pass them on to, ``find`` raises an error."""

    def __init__(self, find: Callable[[], Proxy]) -> None:
        self._find = find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, and stop working on it when the client goes away."""
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            proxy, headers = self._find(), Headers(scope=scope)
            body = await read_body(scope, receive, proxy.options.max_body)
            path = str(scope["path"])[len(scope.get("root_path", "")) :].removeprefix(PREFIX)
            if {".", ".."} & set(path.split("/")):  # hidden in a name: it would lead to other paths
                raise RefusedRequestError(404, "there is nothing at this address")
            path = quote(path, safe=_PLAIN_IN_PATHS)  # as it came: decoded twice, it could lead to other paths
            query = scope.get("query_string", b"").decode("latin-1")
            if any(is_credential(name) for name, _ in parse_qsl(query, keep_blank_values=True)):
                raise RefusedRequestError(400, "a key in the address is not accepted", hint=_KEY_HINT)
            exchange, caller = exchange_of(scope), proxy.callers.caller(headers)
            body = body if exchange is None else exchange.chat(body)
            if exchange is not None and exchange.counts:
                counted = {"input_tokens": await proxy.count(caller, body)}
                await JSONResponse(counted)(scope, receive, noted)
                return
            incoming = Incoming(scope["method"], path, query, headers, body, caller, for_a_message=exchange is not None)
            await while_connected(receive, proxy.handle(incoming, Outgoing(noted)), proxy.stopping)
        except ReadAgentError as error:
            if begun:  # the client sees that the response breaks off, as it would have without us
                return
            await response_to(refusal_of(error))(scope, receive, send)


def proxy_routes(find: Callable[[], Proxy]) -> list[Route]:
    """Return the routes for a proxy, which is found when the first request comes."""
    door = Door(find)
    return [Route(f"{PREFIX}{path}", door, methods=list(methods)) for path, methods in _PATHS.items()]


def application(proxy: Proxy) -> ASGIApp:
    """Return the application of a proxy that stands alone."""

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await proxy.aclose()

    app = Starlette(
        routes=[Route(HEALTH, health), *proxy_routes(lambda: proxy)],
        exception_handlers={HTTPException: _refused, Exception: _failed},
        lifespan=lifespan,
    )
    options = proxy.options
    return MessagesDoor(ProxyGuard(app, proxy.callers, token=options.token, hosts=options.hosts))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = {404: "there is nothing at this address", 405: "this method is not allowed here"}
    known = ", ".join(f"{PREFIX}{path}" for path in _PATHS if "{" not in path)
    return response_to(
        RefusedRequestError(error.status_code, what.get(error.status_code, error.detail), hint=f"there are: {known}")
    )


async def _failed(request: Request, error: Exception) -> Response:
    return response_to(RefusedRequestError(500, f"unexpected error (a bug in readagent): {type(error).__name__}"))
