"""Which servers are at home: loopback needs no network, a private address costs no money."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit


def host_of(url: str) -> str:
    """The host of a URL, in lower case; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine."""
    host = host_of(url)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_private(url: str) -> bool:
    """Whether a URL leads to this machine or to one of the same house."""
    host = host_of(url)
    try:
        return ip_address(host).is_private
    except ValueError:
        return (
            is_loopback(url)
            or host.endswith((".local", ".lan", ".internal", ".home"))
            or (host != "" and "." not in host)
        )


def shown(url: str) -> str:
    """A URL that may be printed: without user name, password and query."""
    try:
        parts = urlsplit(url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
    except ValueError:
        return "(not a URL)"
