"""Who may talk to the server. Everything but the health check needs the token, or the cookie that it gives.

- The Host header must name the server and its port, so that no page can reach it through a name of its own (DNS
  rebinding).
- An Origin must be our own, also where the token, the code or a form is sent. Only links to `/` may be on other pages.
- Requests with the cookie that change something need a header that no foreign page can send (CSRF).
- Every response forbids what the page does not need: scripts and styles of others, frames, guessing of types.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from readagent.models.hosts import HostNames, bearer_token, same_secret
from readagent.proxy.app import PREFIX
from readagent.proxy.endpoint_guard import RefusedRequestError, of_another_page, response_to
from readagent.web.operations import broken_off, failure
from readagent.web.problems import RefusedError

LOGIN_STYLE = "/login.css"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ReadAgent</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/login.css"></head>
<body><main><h1>ReadAgent</h1>
<p>Open the address that <code>readagent serve</code> printed, or give its token:</p>
{wrong}<form method="post"><label>Token <input type="password" name="token" required autofocus></label>
<button>Open</button></form></main></body></html>
"""
_WRONG = (
    '<p class="wrong" role="alert">This token is wrong. A server that is started again has a new one, '
    "unless it was started with a token of its own.</p>\n"
)
_STYLE = """:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; }
main { max-width: 26rem; margin: 12vh auto 0; }
h1 { font-size: 1.4rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
label { flex: 1 1 14rem; }
input { display: block; width: 100%; box-sizing: border-box; }
input, button { font: inherit; padding: .4rem .6rem; }
.wrong { border-left: .25rem solid #c62828; padding-left: .75rem; }
"""


def login_page(*, wrong: bool = False) -> Response:
    """Return the page; ``wrong`` says that the token that was given is not the right one.

    Its form is sent to the address that was asked for, so that browsers keep what follows the # through the redirect.
    """
    return Response(_PAGE.replace("{wrong}", _WRONG if wrong else ""), 401, media_type="text/html")


def login_style() -> Response:
    """Return the stylesheet of the page."""
    return Response(_STYLE, media_type="text/css")


CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # without any, the Origin of a form is null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_SAFE = ("GET", "HEAD", "OPTIONS")
_OPEN = "/healthz"
MARKDOWN = "/api/markdown"  # a POST that changes nothing
MCP_PATH = "/mcp"  # all messages there are POST; a read-only server has only tools that change nothing
_MAX_FORM = 10_000  # bytes


class Guard:
    """Wraps the application. ``hosts`` are names of the server besides those of this machine.

    ``code`` opens the page once, in place of the token.
    """

    def __init__(self, app: ASGIApp, *, token: str, code: str, hosts: tuple[str, ...], read_only: bool) -> None:
        self._app, self._token, self._read_only = app, token, read_only
        self._code, self._code_used = code, False
        self._hosts = HostNames(hosts)
        self._cookie = self._new_cookie("readagent cookie")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, and pass the others on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        secured = self._while_valid(_secured(send, request.url.path), request)
        try:
            response = await self._response(request)
        except RefusedError as error:
            response = _as_openai(error) if _is_proxied(request.url.path) else failure(error)
        except ClientDisconnect:
            response = failure(broken_off())
        with suppress(ClientDisconnect):
            await (response or self._app)(scope, receive, secured)

    async def _response(self, request: Request) -> Response | None:
        """Return the response to a request that goes no further; raise if it is refused."""
        path, headers = request.url.path, request.headers
        if path == _OPEN:
            return None
        self._check_host(request)
        self._check_origin(request)
        if path == "/" and request.method == "POST":
            return await self._log_in(request)
        if path == LOGIN_STYLE and request.method == "GET":
            return login_style()
        if path == "/" and request.method == "GET" and "token" in request.query_params:
            return self._with_cookie(request, request.query_params["token"])
        if path == "/" and request.method == "GET" and "code" in request.query_params:
            return self._with_code(request, request.query_params["code"])
        if not self._has_token(headers) and not self._has_cookie(request):
            if path == "/" and request.method == "GET":
                return login_page()
            how = "send it as the API key" if _is_proxied(path) else "open the address that `readagent serve` printed"
            raise RefusedError(401, "the token is missing or wrong", hint=how)
        changes = request.method not in _SAFE
        if changes and not self._has_token(headers) and headers.get("x-readagent") != "1":
            raise RefusedError(403, "the header X-ReadAgent is missing", hint="send X-ReadAgent: 1, or the token")
        if self._read_only and changes and path not in (MCP_PATH, MARKDOWN):
            raise RefusedError(403, "this server is read-only", hint="start it without `read_only` to change something")
        return None

    def _while_valid(self, send: Send, request: Request) -> Send:
        """Return a function that sends a response, and ends it once the cookie that it was asked with is revoked."""
        cookie = self._cookie
        if self._has_token(request.headers) or request.url.path == _OPEN:
            return send

        async def sending(message: Message) -> None:
            if self._cookie != cookie and message["type"] == "http.response.body" and message.get("more_body"):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                raise ClientDisconnect
            await send(message)

        return sending

    def _check_host(self, request: Request) -> None:
        """Refuse names and ports that are not ours."""
        host, server = request.headers.get("host", ""), request.scope.get("server")
        if not self._hosts.has(host, server[1] if server else None):
            raise RefusedError(
                403, f"this server is not {host[:80]!r}", hint="`allow_host` lets it answer under another name or port"
            )

    def _has_token(self, headers: Headers) -> bool:
        given = bearer_token(headers.get("authorization", ""))
        return bool(given) and same_secret(given, self._token)

    def _has_cookie(self, request: Request) -> bool:
        try:
            cookies = SimpleCookie(request.headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(_cookie_name(request))
        return found is not None and same_secret(found.value, self._cookie)

    def _check_origin(self, request: Request) -> None:
        """Refuse requests that another page has made, but for a link to our page."""
        headers = request.headers
        is_link = headers.get("sec-fetch-mode") == "navigate" and request.method == "GET" and "origin" not in headers
        if not is_link and of_another_page(headers, self._hosts):
            raise RefusedError(403, "requests from other pages are refused")

    async def _log_in(self, request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_FORM:
                raise RefusedError(413, "the form is too large")
        form = dict(parse_qsl(body.decode("utf-8", "replace")))
        return self._with_cookie(request, form.get("token", ""))

    def _with_cookie(self, request: Request, given: str) -> Response:
        """Exchange the token for a cookie, and lead to the same page without the token in its address."""
        return self._logged_in(request) if same_secret(given.strip(), self._token) else login_page(wrong=True)

    def _with_code(self, request: Request, given: str) -> Response:
        """Exchange the code for a cookie. Others could see the code: if it comes again, no cookie is valid any more."""
        if not self._code or not same_secret(given, self._code):
            return login_page()
        if self._code_used:
            self._cookie = self._new_cookie(secrets.token_hex())
            return login_page()
        self._code_used = True
        return self._logged_in(request)

    def _new_cookie(self, what: str) -> str:
        return hmac.new(self._token.encode(), what.encode(), hashlib.sha256).hexdigest()

    def _logged_in(self, request: Request) -> Response:
        """Return the cookie, and lead to the page."""
        rest = urlencode(
            [(name, value) for name, value in request.query_params.multi_items() if name not in ("token", "code")]
        )
        response = RedirectResponse(f"/?{rest}" if rest else "/", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(_cookie_name(request), self._cookie, httponly=True, samesite="strict", secure=secure)
        return response


def _is_proxied(path: str) -> bool:
    return path.startswith(f"{PREFIX}/")


def _as_openai(error: RefusedError) -> Response:
    """Return an error as clients of OpenAI's API expect it."""
    return response_to(RefusedRequestError(error.status, str(error), hint=error.hint))


def _secured(send: Send, path: str) -> Send:
    """Return a function that sends responses with our headers; documents and answers are not stored by browsers."""

    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-cache" if path.startswith("/static/") else "no-store")
        await send(message)

    return secured


def _cookie_name(request: Request) -> str:
    """Return the name of the cookie: browsers share cookies among all ports of a host."""
    server = request.scope.get("server")
    return f"readagent-{server[1] if server else 0}"
