"""Origin: scheme, host and port, by which hosts are allowed and trusted, and to which secrets belong."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from readagent.errors import UsageError

_PORTS = {"http": 80, "https": 443}
_WEB = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_HOST = re.compile(r"\[[^\]]*\]|[^:/?#]*")
_HERE = re.compile(r"localhost|127(?:\.\d+){3}|::1")
_NUMBER = r"(?:0x[0-9a-f]*|\d+)"
_IPV4 = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,3}}", re.I)


@dataclass(frozen=True, slots=True)
class Origin:
    """A scheme (http or https), a host and a port. As a user writes it, a host may be a pattern: ``*.example.org``."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin | None:
        """Return the origin of a URL; that of a WebSocket is the one of its server. None if it is no web address."""
        with suppress(ValueError):
            parts = urlsplit(url)
            if (scheme := _WEB.get(parts.scheme)) and parts.hostname:
                return cls(scheme, parts.hostname, parts.port or _PORTS[scheme])
        return None

    @classmethod
    def parse(cls, text: str) -> Origin:
        """Parse an origin as a user writes it: ``example.org``, ``*.example.org:8443``, ``http://10.0.0.7``.

        It is https where the user did not write http, and http on this computer.
        """
        parts = split(with_scheme(text))
        rest = parts.path.removesuffix("/") or parts.query or parts.fragment
        if parts.scheme not in _PORTS or not parts.hostname or rest or re.search(r"[\s@]", text):
            hint = "for example example.org, *.example.org, localhost:8000 or http://example.org"
            raise UsageError(f"{text!r} is not a host", hint=hint)
        return cls(parts.scheme, canonical(parts.hostname), parts.port or _PORTS[parts.scheme])

    @property
    def is_pattern(self) -> bool:
        """Whether it stands for many hosts, of which the user named none."""
        return self.host.startswith("*.")

    def covers(self, other: Origin) -> bool:
        """Return whether what is allowed here is allowed there: on the same origin, or on its encrypted one."""
        if self.host != other.host and not (self.is_pattern and other.host.endswith(self.host[1:])):
            return False
        same = (self.scheme, self.port) == (other.scheme, other.port)
        return same or (self.port, other.scheme, other.port) == (80, "https", 443)

    @property
    def encrypted(self) -> Origin:
        """The same host with https."""
        return replace(self, scheme="https", port=443 if self.port == 80 else self.port)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == _PORTS[self.scheme] else f":{self.port}")


def origin_text(url: str) -> str:
    """Return the origin of a page as questions name it."""
    return str(Origin.of(url) or f"a page without a host ({url[:40]})")


def with_scheme(address: str) -> str:
    """Return an address with its scheme: https if there is none, and http on this computer."""
    if _SCHEME.match(address):
        return address
    host = _HOST.match(address)
    here = host is not None and _HERE.fullmatch(canonical(host[0].strip("[]")))
    return f"{'http' if here else 'https'}://{address}"


def canonical(host: str) -> str:
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


def split(url: str) -> SplitResult:
    """Return the parts of an address; UsageError if it is not valid."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{url!r} is not a valid address: {error}") from None
    return parts


def without_query(url: str) -> str:
    """Return a URL without the parts that may be private: user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{Origin.of(url) or f'{parts.scheme}:'}{parts.path}"[:120]
