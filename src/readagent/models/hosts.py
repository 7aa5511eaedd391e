"""Classify URLs: loopback needs no network, and servers at private addresses are free of charge."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, or an empty string if it has none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether a URL points to this machine."""
    host = host_of(url)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_private(url: str) -> bool:
    """Whether a URL points to this machine or to one in the same private network."""
    host = host_of(url)
    try:
        return ip_address(host).is_private
    except ValueError:
        return (
            is_loopback(url)
            or host.endswith((".local", ".lan", ".internal", ".home"))
            or (host != "" and "." not in host)
        )


def redacted(url: str) -> str:
    """Return a URL that is safe to print: without user name, password and query."""
    try:
        parts = urlsplit(url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
    except ValueError:
        return "(not a URL)"
