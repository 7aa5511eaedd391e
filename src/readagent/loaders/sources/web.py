"""Download a web page, with limits on time and size, and from public addresses only unless others are allowed.

The only loader that uses httpx2. The connection goes to the very address that was checked, again for every redirect.
Therefore proxies in the environment are not used: they would look up host names on their own.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from collections.abc import AsyncIterator, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx2

from readagent.errors import LoadError
from readagent.loaders.sources.addresses import Resolve, allowed_addresses, resolve
from readagent.loaders.sources.files import Fetched

SAVE_PAGE = "open it in a browser, save the page, and read the file"
_CHECK_ADDRESS = "check the address"
_STATUS = {
    401: ("login required", SAVE_PAGE),
    402: ("payment required", SAVE_PAGE),
    403: ("access denied", SAVE_PAGE),
    404: ("page not found", _CHECK_ADDRESS),
    410: ("the page was removed", _CHECK_ADDRESS),
    429: ("too many requests", "try again later"),
    451: ("unavailable for legal reasons", SAVE_PAGE),
}
_MAX_NAME = 200  # characters


@dataclass(frozen=True, slots=True)
class PageInfo:
    """The file name, the content type (such as ``text/html``) and the encoding; empty where the server sent none."""

    name: str
    content_type: str
    charset: str

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> PageInfo:
        """Read these headers."""
        message = Message()
        for header in ("content-type", "content-disposition"):
            message[header] = " ".join(headers.get(header, "").encode("ascii", "replace").decode().split())
        content_type = message.get_content_type() if headers.get("content-type") else ""
        return cls(file_name(message.get_filename("") or ""), content_type, message.get_content_charset("") or "")


def file_name(path: str) -> str:
    """Return the last part of a path, without unprintable characters."""
    last = re.split(r"[/\\]", path.rstrip("/"))[-1]
    return "".join(character for character in last if character.isprintable())[:_MAX_NAME].strip(". ")


def refuse_status(where: str, status: int) -> None:
    """Raise LoadError unless the status means that the page was sent."""
    if status in (200, 203):
        return
    failure = f"could not download {where}: HTTP {status}"
    if status in _STATUS:
        meaning, hint = _STATUS[status]
        raise LoadError(f"{failure} ({meaning})", hint=hint)
    if status >= 500:
        raise LoadError(f"{failure} (server error)", hint="try again later")
    raise LoadError(failure, hint=SAVE_PAGE)


T = TypeVar("T")
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPT = "text/html, application/xhtml+xml, application/pdf, application/epub+zip, text/*;q=0.9, */*;q=0.8"
_DECODED = ("", "identity", "gzip", "x-gzip", "deflate")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on a download: unpacked bytes, total seconds, seconds without any data, and redirects."""

    max_bytes: int = 100_000_000
    seconds: float = 60.0
    idle_seconds: float = 15.0
    redirects: int = 5


def fetch_page(
    address: str,
    *,
    allow_private: bool = False,
    limits: Limits | None = None,
    resolve: Resolve = resolve,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Fetched:
    """Download the bytes at an address, and what the server says about them.

    ``resolve`` replaces the look-up of host names, and ``transport`` the HTTP transport, for tests.
    """
    return _run(_Download(limits or Limits(), allow_private, resolve, transport).fetch(_parsed(address)))


def address_of(address: str) -> str:
    """Return an address as the library stores it: normalised, without the fragment."""
    return str(_parsed(address))


def _parsed(address: str) -> httpx2.URL:
    try:
        url = httpx2.URL(address.strip()).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError, TypeError):
        shown = " ".join(address.split())[:200]
        raise LoadError(f"{shown} is not a web address", hint="an example: https://example.org/page.html") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise LoadError(f"{_shown(url)} is not a web address", hint="an example: https://example.org/page.html")
    if url.port is not None and not 0 < url.port < 65_536:
        raise LoadError(f"{_shown(url)} has no valid port", hint="ports are numbers from 1 to 65535")
    if url.userinfo:
        hint = "remove the part before the @"
        raise LoadError(f"the address of {url.host} contains a user name or password, which is never sent", hint=hint)
    return url


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, even if an event loop is already running, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@dataclass(frozen=True, slots=True)
class _Download:
    """One download, with its redirects."""

    limits: Limits
    allow_private: bool
    resolve: Resolve
    transport: httpx2.AsyncBaseTransport | None

    async def fetch(self, requested: httpx2.URL) -> Fetched:
        url = requested
        try:
            async with asyncio.timeout(self.limits.seconds):
                for _ in range(self.limits.redirects + 1):
                    addresses = await self._checked(url)
                    async with self._response(url, addresses) as response:
                        if response.status_code not in _REDIRECTS or "location" not in response.headers:
                            return _fetched(requested, url, response, await _body(url, response, self.limits))
                        url = _redirected(url, response.headers["location"])
        except TimeoutError:
            reason = f"could not download {_shown(requested)}: it took longer than {self.limits.seconds:g} seconds"
            raise LoadError(reason, hint="try again later") from None
        raise LoadError(f"could not download {_shown(requested)}: too many redirects", hint=SAVE_PAGE)

    async def _checked(self, url: httpx2.URL) -> list[str]:
        """Return the network addresses to connect to for this URL, after checking all of them."""
        offline = os.environ.get("READAGENT_OFFLINE", "").lower() not in ("", "0", "false", "no")
        if offline and url.host not in ("localhost", "::1") and not url.host.startswith("127."):  # not even resolved
            reason = f"could not download {_shown(url)}: READAGENT_OFFLINE is set"
            raise LoadError(reason, hint="unset it, or read a file")
        port = url.port or (443 if url.scheme == "https" else 80)
        return await allowed_addresses(url.host, port, allow_private=self.allow_private, resolve=self.resolve)

    @asynccontextmanager
    async def _response(self, url: httpx2.URL, addresses: list[str]) -> AsyncIterator[httpx2.Response]:
        """Yield the response from the first of these addresses that accepts a connection."""
        timeout = httpx2.Timeout(self.limits.idle_seconds, connect=min(10.0, self.limits.idle_seconds))
        transport = self.transport or httpx2.AsyncHTTPTransport(verify=url.scheme == "https")
        with _Errors(url, self.limits):
            async with httpx2.AsyncClient(transport=transport, trust_env=False, timeout=timeout) as client:
                response = await _first_response(client, url, addresses)
                try:
                    yield response
                finally:
                    await response.aclose()


async def _first_response(client: httpx2.AsyncClient, url: httpx2.URL, addresses: list[str]) -> httpx2.Response:
    """Try one address after another. The host name is used for the Host header and to check the certificate."""
    headers = {"Host": url.netloc.decode("ascii"), "User-Agent": _user_agent(), "Accept": _ACCEPT,
               "Accept-Encoding": "gzip, deflate"}  # fmt: skip
    name = {"sni_hostname": url.raw_host.decode("ascii")}
    for remaining, address in zip(reversed(range(len(addresses))), addresses, strict=True):
        request = client.build_request("GET", url.copy_with(host=address), headers=headers, extensions=name)
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if not remaining or _tls_error(error) is not None:
                raise
    raise AssertionError("a host has at least one address")


async def _body(url: httpx2.URL, response: httpx2.Response, limits: Limits) -> bytes:
    """Return the decoded body of a successful response, counting bytes as they arrive."""
    refuse_status(_shown(url), response.status_code)
    if response.headers.get("content-encoding", "").strip().lower() not in _DECODED:
        raise LoadError(f"could not download {_shown(url)}: unexpected content encoding", hint=SAVE_PAGE)
    too_large = LoadError(
        f"could not download {_shown(url)}: it is larger than {limits.max_bytes / 1_000_000:g} MB", hint=SAVE_PAGE
    )
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limits.max_bytes:
        raise too_large
    chunks, size = [], 0
    async for chunk in response.aiter_bytes():
        chunks.append(chunk)
        size += len(chunk)
        if size > limits.max_bytes:
            raise too_large
    return b"".join(chunks)


def _redirected(url: httpx2.URL, location: str) -> httpx2.URL:
    """Return the target of a redirect, which may not be another protocol, nor go from https to http."""
    try:
        target = url.join(location)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise LoadError(f"{_shown(url)} redirects to an invalid address", hint=SAVE_PAGE) from None
    if target.scheme not in ("http", "https"):
        raise LoadError(f"{_shown(url)} redirects to {target.scheme[:20]!r}, not to a web page", hint=SAVE_PAGE)
    if url.scheme == "https" and target.scheme == "http":
        raise LoadError(
            f"{_shown(url)} redirects to the insecure address {_shown(target)}",
            hint="if you trust that address, give it directly",
        )
    return _parsed(str(target))


def _fetched(requested: httpx2.URL, url: httpx2.URL, response: httpx2.Response, data: bytes) -> Fetched:
    info = PageInfo.from_headers(response.headers)
    name = info.name or file_name(unquote(url.path))
    title = PurePosixPath(name).stem or url.host
    final = "" if url == requested else str(url)
    sent = {"content_type": info.content_type, "charset": info.charset}
    return Fetched(data, name or url.host, title, str(requested), sent, final)


class _Errors:
    """Turn every error of httpx2 into a LoadError."""

    def __init__(self, url: httpx2.URL, limits: Limits) -> None:
        self._where, self._host, self._idle_seconds = _shown(url), url.host, limits.idle_seconds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        match error:
            case httpx2.ConnectError() | httpx2.ConnectTimeout():
                raise self._connection_error(error) from error
            case httpx2.TimeoutException():
                reason = f"could not download {self._where}: no data for {self._idle_seconds:g} seconds"
                raise LoadError(reason, hint="try again later") from error
            case httpx2.DecodingError():
                reason = f"could not download {self._where}: its compressed data is damaged"
                raise LoadError(reason, hint=SAVE_PAGE) from error
            case httpx2.HTTPError() | httpx2.StreamError() | httpx2.InvalidURL():
                reason = f"could not download {self._where}: the connection was lost"
                raise LoadError(reason, hint="try again later") from error

    def _connection_error(self, cause: BaseException) -> LoadError:
        error = _tls_error(cause)
        if isinstance(error, ssl.SSLCertVerificationError):
            reason = f"could not connect to {self._host}: invalid certificate ({error.verify_message})"
            return LoadError(reason, hint="check the address; the server may not be what it claims to be")
        if error is not None:
            return LoadError(f"could not connect securely to {self._host}", hint="check the address, and http or https")
        return LoadError(f"could not connect to {self._host}", hint="check the address; proxies are not used")


def _tls_error(error: BaseException | None) -> ssl.SSLError | None:
    """Return the TLS error that caused this error, if one did."""
    for _ in range(10):
        if error is None or isinstance(error, ssl.SSLError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _shown(url: httpx2.URL) -> str:
    """Return an address for messages: without the parts that may be secret, and not too long."""
    shown = str(url.copy_with(query=None, userinfo=b"", fragment=None))
    return shown if len(shown) <= 200 else f"{shown[:200]}…"


def _user_agent() -> str:
    try:
        return f"readagent/{version('readagent')}"
    except PackageNotFoundError:
        return "readagent"
