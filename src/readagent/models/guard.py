"""A switch that forbids live requests: only servers on this machine can then be called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from readagent.errors import LiveRequestError
from readagent.models.hosts import is_loopback, redacted

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
