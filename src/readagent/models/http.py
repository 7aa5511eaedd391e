"""The line to a server: the one door to httpx2, where a broken connection becomes an error of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit, urlunsplit

from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    RejectedError,
    ServerFaultError,
    UnauthorizedError,
    UsageError,
)
from readagent.models.failures import UnreachableError
from readagent.models.guard import check_allowed
from readagent.models.hosts import is_loopback, shown
from readagent.models.wire import encode

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport, AsyncClient, Request

Transport: TypeAlias = "AsyncBaseTransport"


@dataclass(frozen=True, slots=True)
class Heard:
    """A server's answer; ``lines`` come instead of a body where it streams. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    lines: AsyncIterator[str] | None = None


class Line:
    """A connection to one server, opened when first used."""

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        timeout: float = 300.0,
        headers: Sequence[tuple[str, str]] = (),
        transport: Transport | None = None,
    ) -> None:
        self.base_url = base_url.strip().rstrip("/")
        if urlsplit(self.base_url).scheme not in ("http", "https") or not urlsplit(self.base_url).hostname:
            raise UsageError(
                f"{shown(self.base_url)!r} is not the address of a server", hint="as in http://localhost:11434/v1"
            )
        if key and not (key.isascii() and key.isprintable()):
            raise UnauthorizedError("the key has characters in it that no key has", hint="copy it once more")
        self._key = key
        self._timeout = timeout
        self._transport = transport
        self._headers = [*headers, *([("Authorization", f"Bearer {key}")] if key else [])]
        self._client: AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def get(self, path: str) -> Heard:
        """Ask for a path below the base URL, or, with a leading ``//``, below the server's root."""
        return await self._request("GET", path)

    async def post(self, path: str, value: Any) -> Heard:
        """Send a JSON value and wait for the whole answer."""
        return await self._request("POST", path, encode(value))

    async def _request(self, method: str, path: str, content: bytes | None = None) -> Heard:
        with _told(shown(self.base_url), self._timeout):
            response = await self._open().request(
                method, self._url(path), content=content, headers={"Content-Type": "application/json"}
            )
            return Heard(response.status_code, response.headers, response.content)

    @asynccontextmanager
    async def stream(self, path: str, value: Any) -> AsyncIterator[Heard]:
        """Send a JSON value and take the answer line by line; whole, where it is no event stream."""
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        with _told(shown(self.base_url), self._timeout):
            request = self._open().stream("POST", self._url(path), content=encode(value), headers=headers)
            async with request as response:
                streams = response.headers.get("content-type", "").startswith("text/event-stream")
                if response.status_code == 200 and streams:
                    yield Heard(200, response.headers, lines=response.aiter_lines())
                else:
                    yield Heard(response.status_code, response.headers, await response.aread())

    async def aclose(self) -> None:
        """Close the connection; it opens again if used again."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _open(self) -> AsyncClient:
        if self._transport is None:
            check_allowed(self.base_url)
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            import httpx2

            home = is_loopback(self.base_url)
            self._client = httpx2.AsyncClient(
                headers=self._headers,
                timeout=httpx2.Timeout(self._timeout, connect=min(15.0, self._timeout), pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
                trust_env=not home,
                transport=self._transport,
                verify=not (home and self.base_url.startswith("http:")),
            )
            self._loop = loop
        return self._client

    def _url(self, path: str) -> str:
        parts = urlsplit(self.base_url)
        if path.startswith("//"):
            return urlunsplit(parts._replace(path=path[1:], query=""))
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))


def download(url: str, path: Path, *, tell: Callable[[int], None], timeout: float = 60.0) -> None:
    """Fetch a file; what lies at ``path`` is taken for its beginning. ``tell`` hears how many bytes lie there."""
    import httpx2

    have = path.stat().st_size if path.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    client = httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=15.0),
        follow_redirects=True,
        trust_env=not is_loopback(url),
        event_hooks={"request": [_check_request]},
    )
    with _told(shown(url), timeout), client, client.stream("GET", url, headers=headers) as response:
        status = response.status_code
        if status == 416:
            path.unlink()  # it cannot be the beginning of that file
        if status not in (200, 206):
            kind = ServerFaultError if status in (408, 429) or status >= 500 else RejectedError
            raise kind(f"{shown(url)} is not to be had: status {status}")
        with path.open("ab" if status == 206 else "wb") as file:
            for chunk in response.iter_bytes():
                file.write(chunk)
                tell(file.tell())


def _check_request(request: Request) -> None:
    """Where a redirect leads is checked as well."""
    check_allowed(str(request.url))


@contextmanager
def _told(where: str, timeout: float) -> Iterator[None]:
    """Every failure of httpx2 as an error of ours; ``where`` is the address, fit to print."""
    import httpx2

    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        hint = "is the server running, and is the base URL right?"
        raise UnreachableError(f"nobody answers at {where}", hint=hint) from error
    except httpx2.TimeoutException as error:
        hint = "a slow model may need a longer timeout"
        raise ConnectionFailedError(f"{where} sent nothing for {timeout:g} seconds", hint=hint) from error
    except httpx2.DecodingError as error:
        raise BadReplyError(f"the reply of {where} cannot be unpacked") from error
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise UsageError(f"{where!r} is not the address of a server") from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise ConnectionFailedError(f"the line to {where} broke") from error
