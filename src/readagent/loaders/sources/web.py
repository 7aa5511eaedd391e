"""A page from the web, within limits of time and size, and from public addresses alone unless others are allowed.

This is the second door to httpx2: the first, models/http.py, is another room's. The connection goes to the very address
that was checked, at every redirect anew; so proxies in the environment, which would look up names by themselves, are
not used.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx2

from readagent.errors import LoadError
from readagent.loaders.sources.addresses import Resolve, allowed, resolve
from readagent.loaders.sources.headers import SAVE, Said, last_part, refuse_status
from readagent.loaders.sources.source import Fetched

T = TypeVar("T")
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPT = "text/html, application/xhtml+xml, application/pdf, application/epub+zip, text/*;q=0.9, */*;q=0.8"
_UNPACKED_HERE = ("", "identity", "gzip", "x-gzip", "deflate")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many bytes a page may have when unpacked, how long it may take, how long it may say nothing."""

    most_bytes: int = 100_000_000
    seconds: float = 60.0
    silence: float = 15.0
    redirects: int = 5


def fetch_page(
    address: str,
    *,
    allow_private: bool = False,
    limits: Limits | None = None,
    resolve: Resolve = resolve,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> Fetched:
    """The bytes at an address, and what the server says they are.

    ``resolve`` looks up the addresses of a host, and ``transport`` speaks to them, where others than ours shall.
    """
    return _wait(_Visit(limits or Limits(), allow_private, resolve, transport).fetch(_parsed(address)))


def address_of(address: str) -> str:
    """An address as it is kept in the library: in one spelling, without the place within the page."""
    return str(_parsed(address))


def _parsed(address: str) -> httpx2.URL:
    try:
        url = httpx2.URL(address.strip()).copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError, TypeError):
        shown = " ".join(address.split())[:200]
        raise LoadError(f"{shown} is not a web address", hint="as in https://example.org/page.html") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise LoadError(f"{_shown(url)} is not a web address", hint="as in https://example.org/page.html")
    if url.userinfo:
        hint = "leave out what stands before the @"
        raise LoadError(f"the address of {url.host} holds a name or a password, which is not sent", hint=hint)
    return url


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@dataclass(frozen=True, slots=True)
class _Visit:
    """One fetching of a page, from redirect to redirect."""

    limits: Limits
    allow_private: bool
    resolve: Resolve
    transport: httpx2.AsyncBaseTransport | None

    async def fetch(self, asked: httpx2.URL) -> Fetched:
        url = asked
        try:
            async with asyncio.timeout(self.limits.seconds):
                for _ in range(self.limits.redirects + 1):
                    addresses = await self._checked(url)
                    async with self._answer(url, addresses) as response:
                        if response.status_code not in _REDIRECTS or "location" not in response.headers:
                            return _fetched(asked, url, response, await _body(url, response, self.limits))
                        url = _redirected(url, response.headers["location"])
        except TimeoutError:
            reason = f"{_shown(asked)} took longer than {self.limits.seconds:g} seconds"
            raise LoadError(reason, hint="try again later") from None
        raise LoadError(f"{_shown(asked)} leads on and on to other pages", hint=SAVE)

    async def _checked(self, url: httpx2.URL) -> list[str]:
        """The network addresses to connect to for this URL, all of them checked."""
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await allowed(url.host, port, allow_private=self.allow_private, resolve=self.resolve)
        offline = os.environ.get("READAGENT_OFFLINE", "").lower() not in ("", "0", "false", "no")
        if offline and not all(one.startswith("127.") or one == "::1" for one in addresses):
            reason = f"READAGENT_OFFLINE is set, so {_shown(url)} is not fetched"
            raise LoadError(reason, hint="unset it, or read a file")
        return addresses

    @asynccontextmanager
    async def _answer(self, url: httpx2.URL, addresses: list[str]) -> AsyncIterator[httpx2.Response]:
        """What the server answers, asked at the first of these addresses at which anyone answers."""
        timeout = httpx2.Timeout(self.limits.silence, connect=min(10.0, self.limits.silence))
        transport = self.transport or httpx2.AsyncHTTPTransport(verify=url.scheme == "https")
        with _Told(url, self.limits):
            async with httpx2.AsyncClient(transport=transport, trust_env=False, timeout=timeout) as client:
                response = await _first_answer(client, url, addresses)
                try:
                    yield response
                finally:
                    await response.aclose()


async def _first_answer(client: httpx2.AsyncClient, url: httpx2.URL, addresses: list[str]) -> httpx2.Response:
    """Ask one address after another. The host's name goes into the Host header and the check of the certificate."""
    headers = {"Host": url.netloc.decode("ascii"), "User-Agent": _agent(), "Accept": _ACCEPT,
               "Accept-Encoding": "gzip, deflate"}  # fmt: skip
    name = {"sni_hostname": url.raw_host.decode("ascii")}
    for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
        request = client.build_request("GET", url.copy_with(host=address), headers=headers, extensions=name)
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            if not left or _secure_fault(error) is not None:
                raise
    raise AssertionError("a host has at least one address")


async def _body(url: httpx2.URL, response: httpx2.Response, limits: Limits) -> bytes:
    """The unpacked bytes of a page that is there, counted as they come in."""
    refuse_status(_shown(url), response.status_code)
    if response.headers.get("content-encoding", "").strip().lower() not in _UNPACKED_HERE:
        raise LoadError(f"{_shown(url)} is packed in a way that was not asked for", hint=SAVE)
    too_large = LoadError(f"{_shown(url)} is larger than {limits.most_bytes / 1_000_000:g} MB", hint=SAVE)
    promised = response.headers.get("content-length", "")
    if promised.isdecimal() and int(promised[:20]) > limits.most_bytes:
        raise too_large
    pieces, size = [], 0
    async for piece in response.aiter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > limits.most_bytes:
            raise too_large
    return b"".join(pieces)


def _redirected(url: httpx2.URL, location: str) -> httpx2.URL:
    """Where a page sends us on to: never to another protocol, nor from a secure connection to an open one."""
    try:
        onward = url.join(location)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise LoadError(f"{_shown(url)} leads on to what is no address", hint=SAVE) from None
    if onward.scheme not in ("http", "https"):
        raise LoadError(f"{_shown(url)} leads on to {onward.scheme[:20]!r}, not to a page", hint=SAVE)
    if url.scheme == "https" and onward.scheme == "http":
        raise LoadError(
            f"{_shown(url)} leads on to {_shown(onward)}, which anyone could alter on its way",
            hint="name that address yourself if you trust it",
        )
    return _parsed(str(onward))


def _fetched(asked: httpx2.URL, url: httpx2.URL, response: httpx2.Response, data: bytes) -> Fetched:
    said = Said.of(response.headers)
    name = said.name or last_part(unquote(url.path))
    title = PurePosixPath(name).stem or url.host
    onward = "" if url == asked else str(url)
    return Fetched(said.in_unicode(data), name or url.host, title, str(asked), said.kind, onward)


class _Told:
    """Every failure of httpx2 as one line of ours."""

    def __init__(self, url: httpx2.URL, limits: Limits) -> None:
        self._where, self._host, self._silence = _shown(url), url.host, limits.silence

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        match error:
            case httpx2.ConnectError() | httpx2.ConnectTimeout():
                raise self._unreached(error) from error
            case httpx2.TimeoutException():
                reason = f"{self._where} sent nothing for {self._silence:g} seconds"
                raise LoadError(reason, hint="try again later") from error
            case httpx2.DecodingError():
                raise LoadError(f"{self._where} cannot be unpacked", hint=SAVE) from error
            case httpx2.HTTPError() | httpx2.StreamError() | httpx2.InvalidURL():
                raise LoadError(f"the line to {self._host} broke", hint="try again later") from error

    def _unreached(self, error: BaseException) -> LoadError:
        fault = _secure_fault(error)
        if isinstance(fault, ssl.SSLCertVerificationError):
            reason = f"{self._host} does not prove who it is: {fault.verify_message}"
            return LoadError(reason, hint="check the address; the page may not be what it says")
        if fault is not None:
            return LoadError(f"no secure connection to {self._host}", hint="check the address, and http or https")
        return LoadError(f"nobody answers at {self._host}", hint="check the address; proxies are not used")


def _secure_fault(error: BaseException | None) -> ssl.SSLError | None:
    """What went wrong with the secure connection, if that was it."""
    for _ in range(10):
        if error is None or isinstance(error, ssl.SSLError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _shown(url: httpx2.URL) -> str:
    """An address that may be printed: without what may be a secret in it, and not too long."""
    shown = str(url.copy_with(query=None, userinfo=b"", fragment=None))
    return shown if len(shown) <= 200 else f"{shown[:200]}…"


def _agent() -> str:
    try:
        return f"readagent/{version('readagent')}"
    except PackageNotFoundError:
        return "readagent"
