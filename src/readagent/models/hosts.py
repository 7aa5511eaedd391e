"""Classify hosts and URLs: loopback needs no network, and servers at private addresses are free of charge."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit


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
    """Return a URL that is safe to print: without user name, password and query, also if it is malformed."""
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
