"""Classify hosts and URLs, a switch that forbids live requests, and what our own servers check of a request."""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from readagent.errors import LiveRequestError


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, or an empty string if it has none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_ip_address(host: str) -> bool:
    """Whether a host is written as an IP address."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback_host(host: str) -> bool:
    """Whether a host name or address is this machine only."""
    return ip_address(host).is_loopback if is_ip_address(host) else host == "localhost"


@lru_cache(maxsize=64)
def is_loopback(url: str) -> bool:
    """Whether a URL points to this machine."""
    host = host_of(url)
    return is_loopback_host(host) or host.endswith(".localhost")


@lru_cache(maxsize=64)
def is_private(url: str) -> bool:
    """Whether a URL points to this machine or to one in the same private network."""
    host = host_of(url)
    if is_ip_address(host):
        return ip_address(host).is_private
    is_own = is_loopback(url) or host.endswith((".local", ".lan", ".internal", ".home"))
    return is_own or (host != "" and "." not in host)


def same_server(url: str, other: str) -> bool:
    """Whether a URL points to the host and port of another one, and is encrypted if that is."""
    encrypted = urlsplit(url).scheme == "https" or urlsplit(other).scheme != "https"
    return host_of(url) == host_of(other) and port_of(url) == port_of(other) is not None and encrypted


def port_of(url: str) -> int | None:
    """Return the port of a URL, named or usual; None if it has none."""
    try:
        parts = urlsplit(url)
        return parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None


def redacted(url: str) -> str:
    """Return a URL that is safe to print: without user name, password and query, also if it is malformed.

    Nothing in its path can be taken for the server.
    """
    if not problem_of(url):
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    scheme, separator, rest = url.rpartition("://") if "://" in url else ("", "", url)
    scheme = scheme if scheme.isalpha() else ""
    return (scheme + separator if scheme else "") + re.split("[?#]", rest, maxsplit=1)[0].rpartition("@")[2]


def problem_of(url: str) -> str:
    """Return why a URL cannot be the address of a server; "" if it can. Nothing secret is in the reason."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "its host or port is not valid (in a password, / is written %2F and @ is written %40)"
    if parts.scheme not in ("http", "https") or not url.lower().startswith(("http://", "https://")):
        return "it must start with http:// or https://"
    return "" if parts.hostname else "it names no host"


_forbidden = False


def forbid_live_requests(forbidden: bool = True) -> None:
    """Forbid requests to any host but loopback, for the whole process. ``False`` allows them again."""
    global _forbidden
    _forbidden = forbidden


@contextmanager
def live_requests(allowed: bool) -> Iterator[None]:
    """Allow or forbid live requests within a ``with`` block."""
    before = _forbidden
    forbid_live_requests(not allowed)
    try:
        yield
    finally:
        forbid_live_requests(before)


def check_allowed(url: str) -> None:
    """Raise LiveRequestError if a request to ``url`` is forbidden, by this switch or by READAGENT_OFFLINE=1."""
    offline = os.environ.get("READAGENT_OFFLINE", "").lower() not in ("", "0", "false", "no")
    if (_forbidden or offline) and not is_loopback(url):
        reason = "READAGENT_OFFLINE is set" if offline else "live requests are forbidden"
        raise LiveRequestError(
            f"{reason}, so {redacted(url)} was not called", hint="use a server on this machine, or allow live requests"
        )


_HOST = re.compile(r"(?:\[(?P<address>[^\[\]]+)\]|(?P<name>[^:\[\]]+))(?::(?P<port>[0-9]{0,5}))?")


class HostNames:
    """The names that a server answers under: those of this machine, and ``more``.

    Any IP address is right, because nobody can make a name of theirs of it (DNS rebinding). Where a name is in
    ``more``, another server may stand before this one, so that port and scheme are not ours.
    """

    def __init__(self, more: Iterable[str]) -> None:
        self._more = {host.casefold() for host in more}

    def has(self, header: str, port: int | None = None) -> bool:
        """Whether a Host header names this server; ``port`` is where it listens, if that has to be right too."""
        name, given = _name_and_port(header)
        own = name == "localhost" or is_ip_address(name)
        return name in self._more or (own and port in (None, given))

    def is_origin(self, origin: str, header: str) -> bool:
        """Whether an Origin is that of our own pages, for a request with this Host header."""
        schemes = ("http", "https") if _name_and_port(header)[0] in self._more else ("http",)
        return origin.casefold() in [f"{scheme}://{header.casefold()}" for scheme in schemes]


def _name_and_port(header: str) -> tuple[str, int]:
    """Return the name or address in a Host header, and its port; all of it if what follows is no port."""
    found = _HOST.fullmatch(header)
    if found is None:
        return header.casefold(), 80
    return (found["address"] or found["name"]).casefold(), int(found["port"] or 80)


def bearer_token(authorization: str) -> str:
    """Return the token in an Authorization header; "" if it has none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def same_secret(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))
