"""From PostgreSQL's errors to ours. They are told apart by SQLSTATE, and where a connection fails by what it says."""

from __future__ import annotations

import re

from readagent.errors import (
    BusyLibraryError,
    FullDiskError,
    LibraryError,
    NotInLibraryError,
    UnreachableLibraryError,
    UsageError,
)
from readagent.library.errors import damaged

OLDEST = 14  # version of PostgreSQL
_READ_ONLY = "session is read-only"
_STARTING = (
    "starting up", "shutting down", "recovery mode", "not yet accepting connections", "terminating connection",
    "server closed the connection", _READ_ONLY,
)  # fmt: skip
_CROWDED = ("too many clients", "too many connections", "remaining connection slots", "connection limit exceeded")
_AGAIN = ("40001", "40P01")  # a deadlock, or a conflict: the transaction was undone and can be done again
_PROBLEM = re.compile(r"(?:FATAL|ERROR):\s*(.+)")


class LostConnectionError(UnreachableLibraryError):
    """The connection broke, or the transaction was undone: the work can be done again."""


def lost(name: str) -> LostConnectionError:
    """Return the error for a connection that broke."""
    return LostConnectionError(f"the connection to the library {name} broke", hint=_hint())


def unreachable(name: str, error: Exception, patience: float | None = None) -> UnreachableLibraryError:
    """Return the error for a server that cannot be reached, or, with ``patience``, not for so many seconds."""
    for_long = "" if patience is None else f" for {patience:,.0f} seconds"
    return UnreachableLibraryError(
        f"the server of the library {name} cannot be reached{for_long}: {_reason(error)}", hint=_hint()
    )


def _hint() -> str:
    return "check that the server runs and that host and port are right; nothing that was stored is lost"


def is_temporary(error: Exception) -> bool:
    """Return whether a server that refused a connection will soon accept one."""
    text = str(error)
    return any(part in text for part in (*_STARTING, *_CROWDED))


def is_read_only(error: BaseException) -> bool:
    """Return whether a server refused a connection only because nothing can be written there."""
    return _READ_ONLY in str(error)


def waiting_for(name: str, error: BaseException) -> str:
    """Return what a person is told while the server refuses connections."""
    if any(part in str(error) for part in _CROWDED):
        return f"the server of the library {name} has no free connection; waiting for one"
    if is_read_only(error):
        return f"the server of the library {name} is read-only; waiting for one that can be written"
    return f"the library {name} cannot be reached; waiting for its server"


def refused(error: Exception, name: str) -> LibraryError | UsageError:
    """Return our error for a connection that could not be made."""
    text = str(error)
    if "password authentication failed" in text or "no password supplied" in text:
        return LibraryError(
            f"the server of the library {name} does not accept this user and password",
            hint="check both; besides the URL, PGPASSWORD or ~/.pgpass may hold the password",
        )
    if "database" in text and "does not exist" in text:
        return LibraryError(f"there is no such database: {name}", hint="create it: createdb NAME")
    if "role" in text and "does not exist" in text:
        return LibraryError(f"the server has no such user: {name}", hint="create it: createuser NAME")
    if "permission denied" in text:
        return LibraryError(
            f"the server of the library {name} does not let this user in: {_reason(error)}",
            hint="check the options in the URL, and what the user may do",
        )
    return unreachable(name, error)


def _reason(error: Exception) -> str:
    """Return the last thing that PostgreSQL said, on one line; libpq puts no password into it."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    found = _PROBLEM.search(str(error))
    text = " ".join(found[1].split()) if found else (lines[0] if lines else type(error).__name__)
    return text.removeprefix("connection failed: ")


def forbidden(name: str) -> LibraryError:
    """Return the error for a library that belongs to another user of the server."""
    return LibraryError(
        f"the library {name} belongs to another user of the server: permission denied",
        hint="use the tenant of this user, or ask the owner for the right to use the schema",
    )


def too_old(name: str, version: int) -> LibraryError:
    """Return the error for a server that is too old."""
    return LibraryError(
        f"the server of the library {name} is PostgreSQL {version}",
        hint=f"a library needs PostgreSQL {OLDEST} or later",
    )


def wrong_encoding(name: str, encoding: str) -> LibraryError:
    """Return the error for a database that cannot hold every character."""
    return LibraryError(
        f"the database of the library {name} has the encoding {encoding}, and a library needs UTF8",
        hint="create another one: createdb -E UTF8 -T template0 NAME",
    )


def translated(error: Exception, name: str, *, broken: bool) -> LibraryError:
    """Return our error for one that a statement raised; ``broken`` is whether the connection is closed now."""
    state = getattr(error, "sqlstate", None) or ""
    if broken or state in _AGAIN or state.startswith(("08", "57P")):
        return lost(name)
    if state == "53100":
        return FullDiskError(
            f"the server of the library {name} has no space left", hint="free some space; nothing is lost"
        )
    if state == "55P03":
        return BusyLibraryError(f"the library {name} is in use by another process", hint="try again later")
    if state == "25006" or "during recovery" in str(error):
        return LibraryError(
            f"the library {name} cannot be written: {_reason(error)}",
            hint="this server or this user only reads; give the address of the primary server",
        )
    if state == "42501":
        return LibraryError(
            f"the library {name} cannot be written: {_reason(error)}", hint="ask its owner for the right to do so"
        )
    if state == "23503":
        return NotInLibraryError("what this belongs to was removed from the library meanwhile")
    if state in ("42P01", "42703"):
        return damaged(name, _reason(error))
    return LibraryError(f"{name}: {_reason(error)}")
