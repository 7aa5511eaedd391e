"""Who may use the proxy, and errors in the form of OpenAI's API for requests that it cannot serve."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from readagent.advice import as_options
from readagent.errors import ConnectionFailedError, ReadAgentError, SlowReplyError, UnauthorizedError, UsageError
from readagent.models.hosts import HostNames, same_secret
from readagent.proxy.callers import TOKEN_HEADER, Callers

_KINDS = {400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error"}


class RefusedRequestError(ReadAgentError):
    """A request that is answered with this status."""

    def __init__(self, status: int, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status, self.code = status, code


def refusal_of(error: ReadAgentError) -> RefusedRequestError:
    """Return what the client gets for an error: a server that cannot be reached is a bad gateway."""
    if isinstance(error, RefusedRequestError):
        return error
    statuses = ((SlowReplyError, 504), (ConnectionFailedError, 502), (UnauthorizedError, 401), (UsageError, 400))
    status = next((status for kind, status in statuses if isinstance(error, kind)), 500)
    return RefusedRequestError(status, str(error), hint=error.hint)


def response_to(error: RefusedRequestError) -> Response:
    """Return the response for a refused request. What is left of its body is not read."""
    said = f"{error} ({as_options(error.hint)})" if error.hint else str(error)
    kind = _KINDS.get(error.status, "invalid_request_error" if error.status < 500 else "api_error")
    value = {"error": {"message": said, "type": kind, "param": None, "code": error.code}}
    headers = {"connection": "close"} if error.status in (408, 413) else None
    return JSONResponse(value, error.status, headers)


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
        host = headers.get("host", "")
        if not self._hosts.has(host):
            raise RefusedRequestError(
                403, f"this server is not {host[:80]!r}", hint="`allow_host` lets it answer under another name"
            )
        if of_another_page(headers, self._hosts):
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


def of_another_page(headers: Headers, hosts: HostNames) -> bool:
    """Whether a request says that a page of another site, or of another port of this machine, has made it."""
    origin = headers.get("origin")
    foreign = origin is not None and not hosts.is_origin(origin, headers.get("host", ""))
    return foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site")
