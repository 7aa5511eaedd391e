"""Asking before something is removed from the library."""

from __future__ import annotations

import sys

from readagent.cli.screen import confirm, echo
from readagent.errors import UsageError


def may_remove(what: str, size: str, *, yes: bool) -> bool:
    """Return whether something may be removed: with ``yes``, or if a person confirms it."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"cannot ask for confirmation to remove {what}: not a terminal", hint="use --yes")
    if confirm(f"Remove {what} ({size})?"):
        return True
    echo(f"{what} was not removed", err=True)
    return False
