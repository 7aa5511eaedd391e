"""Who may use the proxy: programs on this machine, or whoever has the token; never a page of a web site."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from readagent.proxy.callers import TOKEN_HEADER, Callers
from readagent.proxy.refusals import RefusedRequestError, response_to
from readagent.server_guard import HostNames, host_name, same_secret

HEALTH = "/healthz"


class ProxyGuard:
    """Wraps the application. ``hosts`` are names of the server besides those of this machine.

    A client sends the ``token`` as its key, or in a header of its own beside a key for the model's server.
    """

    def __init__(self, app: ASGIApp, callers: Callers, *, token: str = "", hosts: tuple[str, ...] = ()) -> None:
        self._app, self._callers, self._token = app, callers, token
        self._hosts = HostNames(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, and pass the others on."""
        if scope["type"] == "http" and scope["path"] != HEALTH:
            try:
                self._check(Headers(scope=scope))
            except RefusedRequestError as error:
                await response_to(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check(self, headers: Headers) -> None:
        host = host_name(headers.get("host", ""))
        if not self._hosts.has(host):
            raise RefusedRequestError(
                403, f"this server is not {host[:80]!r}", hint="`allow_host` lets it answer under another name"
            )
        origin = headers.get("origin")
        foreign = origin is not None and _host_of(origin) != host.casefold()
        if foreign or headers.get("sec-fetch-site") == "cross-site":
            raise RefusedRequestError(403, "requests from web pages are refused")
        given = headers.get(TOKEN_HEADER, "")
        by_key = self._callers.is_token(headers.get("authorization", ""))
        if self._token and not by_key and not same_secret(given.strip(), self._token):
            raise RefusedRequestError(
                401,
                "the token of the proxy is missing or wrong",
                hint=f"send it as the API key, or in the header {TOKEN_HEADER}",
                code="invalid_api_key",
            )


def _host_of(origin: str) -> str:
    try:
        return (urlsplit(origin).hostname or "").casefold()
    except ValueError:
        return ""
