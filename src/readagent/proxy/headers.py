"""Headers that are for one connection only, and are not passed on."""

from __future__ import annotations

from collections.abc import Iterable

_ALWAYS = frozenset({"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te",
                     "trailer", "transfer-encoding", "upgrade"})  # fmt: skip


def for_one_connection(headers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the names of such headers in lower case: the usual ones, and those that ``Connection`` names."""
    named = (value.split(",") for name, value in headers if name.lower() == "connection")
    return _ALWAYS.union(name.strip().lower() for names in named for name in names)
