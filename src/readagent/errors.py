"""Every error a user of ReadAgent can meet, in one tree.

::

    ReadAgentError                 one clear line, and a hint where there is one
    ├── UsageError                 the call itself cannot work as it was made
    ├── LoadError                  a source that cannot be read as text
    ├── PromptError                a prompt set that is missing a file or a name
    ├── DatasetError               a data set of the benchmark that is missing or not in its form
    ├── ModelError                 the model or its server
    │   ├── ConnectionFailedError  (retryable) nobody answered, or the line broke
    │   ├── RateLimitedError       (retryable) 429, with the server's Retry-After
    │   ├── ServerFaultError       (retryable) 5xx
    │   ├── BadReplyError          (retryable) what came back was not a completion
    │   ├── UnauthorizedError      missing or wrong key
    │   ├── UnknownModelError      the server has no such model
    │   ├── ContextOverflowError   the prompt was longer than the window
    │   ├── RejectedError          any other refusal to serve this request
    │   ├── NoAnswerError          two replies in a row held no answer
    │   └── LiveRequestError       live requests are switched off
    ├── BrowserError               the browser, or the page in it
    │   └── ActionFailedError      an element that is gone, covered, or not of that kind
    ├── BudgetExceededError        the limit the user set was reached; all work is kept
    └── LibraryError               the library on disk
        ├── NotInLibraryError      no such document, reading or answer
        ├── DamagedLibraryError    not a database, or a broken one; left untouched
        ├── NewerLibraryError      written by a newer version; left untouched
        ├── BusyLibraryError       (retryable) another process holds the lock
        └── FullDiskError          no room left; everything up to here is kept
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class ReadAgentError(Exception):
    """Base of all: ``str(error)`` is one line for a person, ``hint`` says what to do about it."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ReadAgentError):
    """The call itself cannot work as it was made."""


class LoadError(ReadAgentError):
    """A source that cannot be read as text."""


class PromptError(ReadAgentError):
    """A prompt set that is missing a file or a name."""


class DatasetError(ReadAgentError):
    """A data set of the benchmark that is missing, or not in the form it should be in."""


class ModelError(ReadAgentError):
    """The model or its server."""


class ConnectionFailedError(ModelError):
    """Nobody answered, or the line broke."""

    retryable = True


class RateLimitedError(ModelError):
    """The server asked us to slow down."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ServerFaultError(ModelError):
    """The server failed."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class BadReplyError(ModelError):
    """What came back was not a completion."""

    retryable = True


class UnauthorizedError(ModelError):
    """Missing or wrong key."""


class UnknownModelError(ModelError):
    """The server has no such model."""


class ContextOverflowError(ModelError):
    """The prompt was longer than the window.

    ``window`` is the window's size where the server told it, ``asked`` our estimate of the prompt's tokens.
    """

    def __init__(self, message: str, *, hint: str = "", window: int | None = None, asked: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.window = window
        self.asked = asked


class RejectedError(ModelError):
    """Any other refusal of the server to serve this request."""


class NoAnswerError(ModelError):
    """Two replies in a row held no answer."""


class LiveRequestError(ModelError):
    """Live requests are switched off."""


class BrowserError(ReadAgentError):
    """The browser, or the page in it."""


class ActionFailedError(BrowserError):
    """An element that is gone, covered, or not of that kind; the page itself is well."""


class BudgetExceededError(ReadAgentError):
    """The limit the user set was reached; all work so far is kept."""


class LibraryError(ReadAgentError):
    """The library on disk."""


class NotInLibraryError(LibraryError):
    """No such document, reading or answer. ``candidates`` are ids of documents, or names of shelves, that are close."""

    def __init__(self, message: str, *, hint: str = "", candidates: Sequence[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.candidates = tuple(candidates)


class DamagedLibraryError(LibraryError):
    """Not a database, or a broken one; left untouched."""


class NewerLibraryError(LibraryError):
    """Written by a newer version; left untouched."""


class BusyLibraryError(LibraryError):
    """Another process holds the lock."""

    retryable = True


class FullDiskError(LibraryError):
    """No room left; everything up to here is kept."""
