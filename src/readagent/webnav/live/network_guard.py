"""NetworkGuard: pages are loaded from allowed hosts only, and from private addresses only if the start is private."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from readagent.errors import LiveRequestError, LoadError, UsageError
from readagent.loaders.sources.addresses import Resolve, is_public, resolve
from readagent.models.guard import check_allowed

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A host, or all hosts below a domain (``*.example.org``); without a port, ports 80 and 443."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> AllowedHost:
        """Parse a host as a user writes it: ``example.org``, ``*.example.org``, ``localhost:8000``."""
        parts = _split(f"//{text}")
        if not parts.hostname or parts.netloc != text or re.search(r"[\s@]", text):
            raise UsageError(f"{text!r} is not a host", hint="for example example.org, *.example.org or localhost:8000")
        return cls(parts.hostname, parts.port)

    def __str__(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def matches(self, address: SplitResult) -> bool:
        """Return whether an address is on this host and port."""
        host, port = address.hostname or "", address.port or _PORTS.get(address.scheme)
        same_host = host.endswith(self.host[1:]) if self.host.startswith("*.") else host == self.host
        return same_host and (port in _PORTS.values() if self.port is None else port == self.port)


class NetworkGuard:
    """Decides which requests of the browser are made. The host of ``start`` is always allowed."""

    def __init__(self, start: str, allow: Iterable[str] = (), *, resolve: Resolve = resolve) -> None:
        self.start = start if "://" in start else f"https://{start}"
        address = _split(self.start)
        if address.scheme not in _PORTS or not address.hostname:
            raise UsageError(f"{start!r} is not the address of a web page", hint="for example https://example.org/shop")
        if "@" in address.netloc:
            raise UsageError("the address must not contain a user name or password", hint="pass them with `secrets`")
        self.allowed_hosts = (AllowedHost(address.hostname, address.port), *map(AllowedHost.parse, allow))
        self._resolve = resolve
        self._private: dict[str, bool] = {}

    async def refusal(self, url: str, *, navigates: bool) -> str:
        """Return why a request is refused; empty if it is allowed. The model is shown the reason.

        ``navigates`` is whether the request would replace the page; other requests may go to any public host.
        """
        address = urlsplit(url)
        if address.scheme not in _PORTS:
            return "" if address.scheme in ("about", "blob", "data") else f"{address.scheme}: is no web address"
        host = address.hostname or ""
        try:
            if navigates and not any(allowed.matches(address) for allowed in self.allowed_hosts):
                return f"{_host_and_port(address)} is not an allowed host"
            check_allowed(url)
        except (ValueError, LiveRequestError) as error:
            return str(error)
        if await self._is_private(host) and not await self._is_private(self.allowed_hosts[0].host):
            return f"{host} is a private address"
        return ""

    async def _is_private(self, host: str) -> bool:
        """Return whether any address of a host is not public. Unknown hosts are left to the browser."""
        if host not in self._private:
            try:
                found = [host] if _is_ip_address(host) else await self._resolve(host, 443)
            except LoadError:
                found = []
            self._private[host] = any(not is_public(ip_address(one.partition("%")[0])) for one in found)
        return self._private[host]


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is not a valid address: {error}") from None
    return parts


def _host_and_port(address: SplitResult) -> str:
    return f"{address.hostname}:{address.port}" if address.port else address.hostname or "it"


def _is_ip_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
