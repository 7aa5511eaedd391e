"""What a request is answered with when it cannot be served: a status, one line, and a hint."""

from __future__ import annotations

from readagent.advice import as_options
from readagent.errors import (
    LibraryError,
    LoadError,
    MissingExtraError,
    ModelError,
    NotInLibraryError,
    ReadAgentError,
    UsageError,
)
from readagent.records.servers import Problem

_STATUSES: tuple[tuple[type[ReadAgentError], int], ...] = (
    (MissingExtraError, 503),
    (NotInLibraryError, 404),
    (UsageError, 400),
    (LoadError, 422),
    (LibraryError, 503),
    (ModelError, 503),
)


class RefusedError(ReadAgentError):
    """A request that is refused with a status of its own."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


def status_of(error: ReadAgentError) -> int:
    """Return the HTTP status for an error."""
    if isinstance(error, RefusedError):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 503)


def problem_of(error: ReadAgentError) -> Problem:
    """Return what the client gets for an error."""
    return Problem(" ".join(str(error).split()), " ".join(as_options(error.hint).split()), type(error).__name__)
