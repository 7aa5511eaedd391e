"""NetworkGuard: only allowed hosts are contacted, and private addresses only if the user named the host."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from readagent.errors import LiveRequestError, LoadError, UsageError
from readagent.loaders.sources.addresses import ForbiddenAddressError, Resolve, allowed_addresses, is_public, resolve
from readagent.models.hosts import check_allowed, is_ip_address

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_OTHER = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d|//)", re.I)  # javascript:, mailto:
_HOST = re.compile(r"\[[^\]]*\]|[^:/?#]*")
_HERE = re.compile(r"localhost|127(?:\.\d+){3}|::1")
_NUMBER = r"(?:0x[0-9a-f]*|\d+)"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}", re.I)


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
        return cls(_canonical(parts.hostname), parts.port)

    @property
    def is_pattern(self) -> bool:
        """Whether it stands for many hosts, of which the user named none."""
        return self.host.startswith("*.")

    def __str__(self) -> str:
        return bracketed(self.host) if self.port is None else f"{bracketed(self.host)}:{self.port}"

    def matches(self, address: SplitResult) -> bool:
        """Return whether an address is on this host and port."""
        host, port = address.hostname or "", address.port or _PORTS.get(address.scheme)
        same_host = host.endswith(self.host[1:]) if self.is_pattern else host == self.host
        return same_host and (port in _PORTS.values() if self.port is None else port == self.port)


class NetworkGuard:
    """Decides which requests of the browser are made. The host of ``start`` is always allowed.

    Other hosts than the allowed ones are not contacted, except for the resources of pages if ``resources`` is true.
    Each host is resolved once. Private addresses are for hosts that the user named, reserved ones for none.
    ``blocked_hosts`` are those from which resources were not loaded.
    """

    def __init__(
        self, start: str, allow: Iterable[str] = (), *, resources: bool = False, resolve: Resolve = resolve
    ) -> None:
        self.start = with_scheme(start)
        address = _split(self.start) if not _OTHER.match(start) else urlsplit("")
        if address.scheme not in ("http", "https") or not address.hostname or re.search(r"\s", address.netloc):
            raise UsageError(f"{start!r} is not the address of a web page", hint="for example https://example.org/shop")
        if "@" in address.netloc:
            raise UsageError("the address must not contain a user name or password", hint="pass them with `secrets`")
        if (host := _canonical(address.hostname)) != address.hostname:
            port = f":{address.port}" if address.port else ""
            address = address._replace(netloc=f"{bracketed(host)}{port}")
            self.start = address.geturl()
        self.allowed_hosts = (AllowedHost(host, address.port), *map(AllowedHost.parse, allow))
        self.blocked_hosts: dict[str, None] = {}
        self._resources = resources
        self._resolve = resolve
        self._resolved: dict[str, Sequence[str] | LoadError] = {}

    @property
    def home(self) -> str:
        """The host of the start address, with the port if there is one, as pages write their own."""
        return host_of(self.start)

    async def refusal(self, url: str, *, navigates: bool) -> str:
        """Return why a request is refused; empty if it is allowed. The model is shown the reason.

        ``navigates`` is whether the request loads a document, sends something or opens a WebSocket; others load a
        resource of a page.
        """
        address = urlsplit(url)
        if address.scheme not in _PORTS:
            return "" if address.scheme in ("about", "blob", "data") else f"{address.scheme}: is no web address"
        try:
            if not self._is_allowed(address) and (navigates or not self._resources):
                return f"{_host_and_port(address)} is not an allowed host"
            check_allowed(url)
            await self.addresses(url)
        except (ValueError, LiveRequestError, LoadError) as error:
            return str(error)
        return ""

    def is_named(self, url: str) -> bool:
        """Return whether the user named the host of a URL: as the start address, or as an allowed host."""
        return self._is_allowed(urlsplit(url))

    def note_blocked(self, url: str) -> None:
        """Add the host of a URL to ``blocked_hosts``, unless it is allowed."""
        address = urlsplit(url)
        if address.scheme in _PORTS and not self._is_allowed(address):
            self.blocked_hosts[_host_and_port(address)] = None

    async def addresses(self, url: str) -> Sequence[str]:
        """Return the network addresses of the host of a URL, the same ones during the whole visit.

        Raise LoadError if there are none or if they are refused.
        """
        address = urlsplit(url)
        host = address.hostname or ""
        named = any(one.matches(address) and not one.is_pattern for one in self.allowed_hosts)
        key = f"{host} {named}"
        if key not in self._resolved:
            try:
                self._resolved[key] = await self._checked_addresses(host, named)
            except ForbiddenAddressError as error:
                by_pattern = self._is_allowed(address) and bool(error.hint)  # a reserved address has none
                self._resolved[key] = LoadError(f"{error}; allow {host} by its name") if by_pattern else error
            except LoadError as error:
                self._resolved[key] = error
        found = self._resolved[key]
        if isinstance(found, LoadError):
            raise found
        return found

    async def _checked_addresses(self, host: str, named: bool) -> Sequence[str]:
        resolve = _as_given if is_ip_address(host) else self._resolve
        found = await allowed_addresses(host, 443, allow_private=named, resolve=resolve)
        if len({is_public(ip_address(one.partition("%")[0])) for one in found}) > 1:
            raise LoadError(f"{host} has public and private addresses")
        return found

    def _is_allowed(self, address: SplitResult) -> bool:
        return any(allowed.matches(address) for allowed in self.allowed_hosts)


def with_scheme(address: str) -> str:
    """Return an address with its scheme: https if there is none, and http on this computer."""
    if _SCHEME.match(address):
        return address
    host = _HOST.match(address)
    here = host is not None and _HERE.fullmatch(_canonical(host[0].strip("[]")))
    return f"{'http' if here else 'https'}://{address}"


def _canonical(host: str) -> str:
    """Return a host as browsers write it: ``127.1`` is 127.0.0.1, and names are in ASCII."""
    if _IPV4.fullmatch(host):
        with suppress(OSError):
            return socket.inet_ntoa(socket.inet_aton(host))
    if ":" in host:
        with suppress(ValueError):
            return ip_address(host).compressed
    with suppress(UnicodeError):
        return host.lower() if host.isascii() else host.encode("idna").decode()
    return host


async def _as_given(host: str, port: int) -> Sequence[str]:
    return [host]


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is not a valid address: {error}") from None
    return parts


def _host_and_port(address: SplitResult) -> str:
    host = bracketed(address.hostname or "")
    return f"{host}:{address.port}" if address.port else host or "it"


def bracketed(host: str) -> str:
    """Return a host as addresses contain it: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def host_of(url: str) -> str:
    """Return the host of a URL, with the port if it is not the usual one, as pages write their own."""
    parts = urlsplit(url)
    host = bracketed(parts.hostname or "")
    return host if parts.port in (None, _PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


def without_query(url: str) -> str:
    """Return a URL without the parts that may be private: user, password, query and fragment."""
    parts = urlsplit(url)
    host, port = bracketed(parts.hostname or ""), f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"[:120]
