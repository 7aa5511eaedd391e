"""What the servers of `serve` and `proxy` both check of a request: the name that it came under, and secrets."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable

from readagent.models.hosts import is_ip_address

_HOST = re.compile(r"(?:\[(?P<address>[^\[\]]+)\]|(?P<name>[^:\[\]]+))(?::[0-9]*)?")


class HostNames:
    """The names that a server answers under: those of this machine, and ``more``.

    Any IP address is right, because nobody can make a name of theirs of it (DNS rebinding).
    """

    def __init__(self, more: Iterable[str]) -> None:
        self._names = {host.casefold() for host in ("localhost", *more)}

    def has(self, host: str) -> bool:
        """Whether a name or address is one of them."""
        return host.casefold() in self._names or is_ip_address(host)


def host_name(header: str) -> str:
    """Return the name or address in a Host header, without its port; all of it if what follows is no port."""
    found = _HOST.fullmatch(header)
    return header if found is None else found["address"] or found["name"]


def bearer_token(authorization: str) -> str:
    """Return the token in an Authorization header; "" if it has none."""
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def same_secret(one: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))
