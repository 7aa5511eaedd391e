"""Announce waits: to the listener of the call, as an event, and in the log named ``readagent``."""

from __future__ import annotations

import logging
from collections.abc import Callable

from readagent.core.events import Waiting

Notify = Callable[[Waiting], None]

SHORTEST = 1.0  # seconds; shorter waits are not announced
_log = logging.getLogger(__name__)
logging.getLogger("readagent").addHandler(logging.NullHandler())


def log_wait(seconds: float, reason: str) -> None:
    """Write a line to the log."""
    if seconds >= SHORTEST:
        _log.info("waiting %.0f s: %s", seconds, reason)


def notify_wait(notify: Notify | None, seconds: float, reason: str) -> None:
    """Tell a listener, if there is one."""
    if notify is not None and seconds >= SHORTEST:
        notify(Waiting(seconds, reason))
