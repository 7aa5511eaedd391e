"""HTTP requests to model servers. Only this module uses httpx2; its failures are raised as our own errors."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit, urlunsplit

from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    RejectedError,
    ServerFaultError,
    SlowReplyError,
    UnauthorizedError,
    UsageError,
)
from readagent.models.hosts import check_allowed, is_loopback, is_private, redacted
from readagent.models.refusal import UnreachableError
from readagent.models.wire import EventDecoder, OversizedReplyError, encode, looks_like_events
from readagent.private import opener

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport, AsyncClient, Request, Response

Transport: TypeAlias = "AsyncBaseTransport"

_log = logging.getLogger(__name__)

MAX_BYTES = 8_000_000  # of one reply, decompressed; a reply of 8192 tokens has less than a hundredth of that
_JSON = (("Content-Type", "application/json"),)
_TEXT = re.compile(rb'"(?:content|text|delta|reasoning|reasoning_content|thinking|arguments)"\s*:\s*"[^"]')
_MAX_ERROR_BYTES = 64_000  # of the body of an error; the rest is not read


@dataclass(frozen=True, slots=True)
class HttpReply:
    """The reply of a server. A stream has ``events``, the data of each event, instead of a body.

    Header names are in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    events: AsyncIterator[str] | None = None


@dataclass(frozen=True, slots=True)
class RawReply:
    """The reply of a server as it is on the wire: its headers in order, and the bytes of its body as they arrive."""

    status: int
    headers: Sequence[tuple[str, str]]
    chunks: AsyncIterator[bytes]


@dataclass(slots=True)
class _Pieces:
    """Whether any piece of a stream came."""

    came: bool = False


class HttpClient:
    """A connection to one server, opened on first use.

    ``timeout`` are the seconds for a whole reply, streamed or not. A reply, or an event of a stream, may have
    ``max_bytes`` bytes after decompression.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        timeout: float = 600.0,
        max_bytes: int = MAX_BYTES,
        headers: Sequence[tuple[str, str]] = (),
        transport: Transport | None = None,
    ) -> None:
        self.base_url = base_url.strip().rstrip("/")
        if urlsplit(self.base_url).scheme not in ("http", "https") or not urlsplit(self.base_url).hostname:
            raise UsageError(
                f"{redacted(self.base_url)!r} is not a server address",
                hint="an address looks like http://localhost:11434/v1",
            )
        if key and not (key.isascii() and key.isprintable()):
            raise UnauthorizedError("the API key contains characters that cannot be sent", hint="copy the key again")
        self._key = key
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._transport = transport
        self._headers = [*headers, *([("Authorization", f"Bearer {key}")] if key else [])]
        self._client: AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def get(self, path: str, *, timeout: float | None = None) -> HttpReply:
        """Get a path below the base URL or, if it starts with ``//``, below the root of the server.

        ``timeout`` can only shorten the time for a reply.
        """
        async with self._send("GET", path, None, _JSON, timeout) as response:
            return HttpReply(response.status_code, response.headers, await self._body(response))

    async def post(self, path: str, value: Any, *, timeout: float | None = None) -> HttpReply:
        """Post a JSON value and return the whole reply."""
        async with self._send("POST", path, encode(value), _JSON, timeout) as response:
            return HttpReply(response.status_code, response.headers, await self._body(response))

    @asynccontextmanager
    async def stream(self, path: str, value: Any, *, events: bool = True) -> AsyncIterator[HttpReply]:
        """Post a JSON value and, if ``events``, stream those of the reply. Any other reply is returned whole.

        The events of a stream with another content type come all at once.
        """
        headers = (*_JSON, ("Accept", "text/event-stream")) if events else _JSON
        async with self._send("POST", path, encode(value), headers) as response:
            if events and response.status_code == 200 and _is_stream(response):
                async with aclosing(self._events(response)) as received:
                    yield HttpReply(200, response.headers, events=received)
            else:
                body = await self._body(response)
                unnamed = events and response.status_code == 200 and looks_like_events(body)
                events_in_body = self._events_in(body) if unnamed else None
                yield HttpReply(response.status_code, response.headers, body, events=events_in_body)

    @asynccontextmanager
    async def relay(
        self, method: str, path: str, content: bytes | None, headers: Sequence[tuple[str, str]], silence: float
    ) -> AsyncIterator[RawReply]:
        """Send a request with these bytes and headers, and yield the reply byte for byte, still compressed if it is.

        A stream of events may take any time, if the next piece comes within ``silence`` seconds after a piece of text,
        or within the timeout, if that is longer, after any other event: a model may think before it goes on.
        """
        limit, pieces = asyncio.timeout(self._timeout), _Pieces()
        try:
            async with (
                self._send(method, path, content, headers, limit=limit) as response,
                aclosing(self._flowing(response, limit, silence, pieces)) as chunks,
            ):
                yield RawReply(response.status_code, response.headers.multi_items(), chunks)
        except SlowReplyError as error:
            if not pieces.came:
                raise
            hint = "a slow model may need longer pauses: set a longer `silence`"
            raise SlowReplyError(f"the reply of {redacted(self.base_url)} stopped arriving", hint=hint) from error

    async def _flowing(
        self, response: Response, limit: asyncio.Timeout, silence: float, pieces: _Pieces
    ) -> AsyncGenerator[bytes, None]:
        """Yield the bytes of a reply. If it is a stream, move the limit with each piece that is no comment."""
        streams, clock = _is_stream(response), asyncio.get_running_loop().time
        longest = max(self._timeout, silence)
        until = clock() + longest
        async with aclosing(response.aiter_raw()) as received:
            async for chunk in received:
                if streams:
                    pieces.came = True
                    limit.reschedule(clock() + longest)  # the client may take as long
                yield chunk
                if streams:
                    says = bool(_TEXT.search(chunk.rpartition(b"data:")[2]))
                    until = until if _is_comment(chunk) else clock() + (silence if says else longest)
                    limit.reschedule(until)

    @asynccontextmanager
    async def _send(
        self,
        method: str,
        path: str,
        content: bytes | None,
        headers: Sequence[tuple[str, str]],
        timeout: float | None = None,
        limit: asyncio.Timeout | None = None,
    ) -> AsyncIterator[Response]:
        """Send a request. The body of the response is read in the ``with`` block, which must end within the timeout.

        That can only be shorter than the client's. A ``limit`` that is given can be moved meanwhile.
        """
        where, timeout = redacted(self.base_url), min(self._timeout, timeout or self._timeout)
        limit = limit or asyncio.timeout(timeout)
        try:
            has_key = any(name.lower() == "authorization" for name, _ in [*self._headers, *headers])
            with _translated_errors(where, has_key=has_key):
                raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]
                opened = self._open().stream(method, self._url(path), content=content, headers=raw)
                async with limit, opened as got:
                    _check_encoding(got, where)
                    _log.debug("%s %s: HTTP %d", method, redacted(self._url(path)), got.status_code)
                    yield got
        except TimeoutError as error:
            if not limit.expired():
                raise
            hint = "a slow model may need more time: set a longer `timeout`"
            raise SlowReplyError(f"no whole reply from {where} within {timeout:g} seconds", hint=hint) from error

    async def _body(self, response: Response) -> bytes:
        """Read a body. The body of an error is cut where it is too long; any other body raises BadReplyError then."""
        failed = response.status_code >= 400
        limit = min(self._max_bytes, _MAX_ERROR_BYTES) if failed else self._max_bytes
        body = bytearray()
        async with aclosing(response.aiter_bytes()) as received:
            async for chunk in received:
                body += chunk
                if len(body) > limit and failed:
                    break
                if len(body) > limit:
                    raise OversizedReplyError(f"the reply of {redacted(self.base_url)} has more than {limit:,} bytes")
        return bytes(body[:limit])

    async def _events(self, response: Response) -> AsyncGenerator[str, None]:
        decoder = EventDecoder(self._max_bytes)
        with _translated_errors(redacted(self.base_url)):
            async with aclosing(response.aiter_bytes()) as received:
                async for chunk in received:
                    for event in decoder.feed(chunk):
                        yield event
        for event in decoder.end():
            yield event

    async def _events_in(self, body: bytes) -> AsyncGenerator[str, None]:
        decoder = EventDecoder(self._max_bytes)
        for event in [*decoder.feed(body), *decoder.end()]:
            yield event

    async def aclose(self) -> None:
        """Close the connection. It is opened again on the next use."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _open(self) -> AsyncClient:
        if self._transport is None:
            check_allowed(self.base_url)
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            import httpx2

            on_this_machine = is_loopback(self.base_url)
            self._client = httpx2.AsyncClient(
                headers=[("Accept-Encoding", "identity"), *self._headers],
                cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),  # none is kept or sent
                timeout=httpx2.Timeout(
                    None, connect=min(15.0, self._timeout / 2), pool=None
                ),  # the whole request has a limit of its own
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
                trust_env=not on_this_machine,
                transport=self._transport,
                verify=not (on_this_machine and self.base_url.startswith("http:")),
            )
            self._loop = loop
        return self._client

    def _url(self, path: str) -> str:
        parts = urlsplit(self.base_url)
        if path.startswith("//"):
            return urlunsplit(parts._replace(path=path[1:], query=""))
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def download(url: str, path: Path, *, on_progress: Callable[[int], None], timeout: float = 60.0) -> None:
    """Download a file, continuing after the bytes that are already at ``path``.

    ``on_progress`` is called with the number of bytes written so far.
    """
    import httpx2

    have = path.stat().st_size if path.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    client = httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=15.0),
        follow_redirects=True,
        trust_env=not is_loopback(url),
        event_hooks={"request": [_check_request]},
    )
    with _translated_errors(redacted(url), timeout), client, client.stream("GET", url, headers=headers) as response:
        status = response.status_code
        if status == 416:
            path.unlink()  # longer than the file on the server, so not a part of it
        if status not in (200, 206):
            kind = ServerFaultError if status in (408, 429) or status >= 500 else RejectedError
            raise kind(f"could not download {redacted(url)}: HTTP {status}")
        with open(path, "ab" if status == 206 else "wb", opener=opener) as file:
            for chunk in response.iter_bytes():
                file.write(chunk)
                on_progress(file.tell())


def _check_request(request: Request) -> None:
    """Check every request of a redirect chain, not only the first."""
    check_allowed(str(request.url))


def _is_comment(chunk: bytes) -> bool:
    """Whether a piece of a stream has nothing but comments, with which servers keep a connection open."""
    return all(line.startswith(b":") or not line.strip() for line in chunk.splitlines())


def _is_stream(response: Response) -> bool:
    return bool(response.headers.get("content-type", "").startswith("text/event-stream"))


def _check_encoding(response: Response, where: str) -> None:
    """Refuse encodings that were applied on top of each other: a few bytes could then become gigabytes."""
    if "," in response.headers.get("content-encoding", ""):
        raise BadReplyError(f"the reply of {where} is compressed more than once")


def _certificate_problem(error: BaseException) -> str:
    """Return why the certificate of a server was refused; "" if something else is the matter."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message.lower()
        cause = cause.__cause__ or cause.__context__
    return ""


@contextmanager
def _translated_errors(where: str, timeout: float = 15.0, *, has_key: bool = True) -> Iterator[None]:
    """Raise failures of httpx2 as our own errors. ``where`` is the address without credentials."""
    import httpx2

    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        if problem := _certificate_problem(error):
            hint = "if you trust this server, add its certificate to those of the system, or to SSL_CERT_FILE"
            raise RejectedError(f"the certificate of {where} cannot be trusted: {problem}", hint=hint) from error
        if "SSL" in str(error) or "TLS" in str(error):
            hint = "if the server has no https, use its http:// address"
            raise RejectedError(f"{where} did not answer with TLS", hint=hint) from error
        online = "is this computer online (behind a proxy, set HTTPS_PROXY), and is the base URL right?"
        online += "" if has_key else " No key is set for this server either; `readagent setup` keeps one"
        hint = "is the server running, and is the base URL right?" if is_private(where) else online
        raise UnreachableError(f"could not connect to {where}", hint=hint) from error
    except httpx2.TimeoutException as error:
        raise SlowReplyError(f"no data from {where} for {timeout:g} seconds") from error
    except httpx2.DecodingError as error:
        raise BadReplyError(f"could not decompress the reply of {where}") from error
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise UsageError(f"{where!r} is not a server address") from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise ConnectionFailedError(f"the connection to {where} was lost") from error
