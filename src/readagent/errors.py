"""All errors that ReadAgent raises, in one tree.

::

    ReadAgentError                 base class: a message of one line, and a hint
    ├── UsageError                 wrong arguments
    │   └── MissingExtraError      a module whose package is not installed; also an ImportError
    ├── LoadError                  a source that cannot be read as text
    ├── PromptError                a prompt set with a missing file or name
    ├── DatasetError               a benchmark data set that is missing or malformed
    ├── ModelError                 the model or its server
    │   ├── ConnectionFailedError  (retryable) no answer, or the connection broke
    │   │   └── SlowReplyError     (retryable) the reply took longer than the timeout, or stalled
    │   ├── RateLimitedError       (retryable) HTTP 429, with the server's Retry-After
    │   ├── ServerFaultError       (retryable) HTTP 5xx
    │   ├── BadReplyError          (retryable) the response was not a completion
    │   ├── UnauthorizedError      missing or wrong key
    │   ├── UnknownModelError      the server does not have this model
    │   ├── ContextOverflowError   the prompt was longer than the window
    │   │   └── CutPromptError     the server has answered a part of the prompt, without saying so
    │   ├── RejectedError          any other refusal to serve this request
    │   │   ├── PageTooLongError   this text is refused as too long, although others of its length are not
    │   │   └── ContentRefusedError  the server does not process this text: a content filter
    │   ├── NoAnswerError          two replies in a row held no answer
    │   └── LiveRequestError       live requests are switched off
    ├── BrowserError               the browser, or the page in it
    │   └── ActionFailedError      an element that is gone, covered, or of another kind
    ├── BudgetExceededError        the user's limit was reached; nothing is lost
    └── LibraryError               the library, in a file or on a server
        ├── NotInLibraryError      no such document, reading or answer
        ├── DamagedLibraryError    not a database, or a broken one; left untouched
        ├── NewerLibraryError      written by a newer version; left untouched
        ├── BusyLibraryError       (retryable) another process holds the lock
        ├── UnreachableLibraryError  (retryable) the server of the library does not answer
        └── FullDiskError          no space left; everything so far is kept
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar


class ReadAgentError(Exception):
    """Base class of all errors: ``str(error)`` is one line for a person, ``hint`` says what to do."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ReadAgentError):
    """Wrong arguments."""


class MissingExtraError(UsageError, ImportError):
    """A module of ReadAgent whose package is not installed: an extra has it."""


class LoadError(ReadAgentError):
    """A source that cannot be read as text."""


class PromptError(ReadAgentError):
    """A prompt set with a missing file or name."""


class DatasetError(ReadAgentError):
    """A benchmark data set that is missing or malformed."""


class ModelError(ReadAgentError):
    """The model or its server. ``response`` has the status, headers and body of an error response, if there was one."""

    response: tuple[int, Mapping[str, str], bytes] | None = None


class ConnectionFailedError(ModelError):
    """No answer, or the connection broke."""

    retryable = True


class SlowReplyError(ConnectionFailedError):
    """The reply took longer than the timeout, or stalled."""


class RateLimitedError(ModelError):
    """The server asked us to slow down."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ServerFaultError(ModelError):
    """The server failed. ``busy`` means that it is overloaded or down for a while, whatever it is asked."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None, busy: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after
        self.busy = busy


class BadReplyError(ModelError):
    """The response was not a completion."""

    retryable = True


class UnauthorizedError(ModelError):
    """Missing or wrong key."""


class UnknownModelError(ModelError):
    """The server does not have this model."""


class ContextOverflowError(ModelError):
    """The prompt was longer than the window.

    ``window`` is the size of the window and ``prompt_tokens`` the tokens of the prompt where the server reported them,
    ``asked`` our estimate of the prompt's tokens. ``accepted`` are the tokens of the longest prompt that the server has
    answered, and ``reply`` those that the reply was allowed, where that is known.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        window: int | None = None,
        asked: int | None = None,
        prompt_tokens: int | None = None,
        accepted: int | None = None,
        reply: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.window = window
        self.asked = asked
        self.prompt_tokens = prompt_tokens
        self.accepted = accepted
        self.reply = reply


class CutPromptError(ContextOverflowError):
    """The server has answered a prompt that it had cut, without saying so.

    ``window`` is what it took in. ``prompt_total``, ``reply_total`` and ``cost`` are what its replies have cost.
    """

    prompt_total = reply_total = 0
    cost: float | None = 0.0


class RejectedError(ModelError):
    """Any other refusal of the server to serve this request."""


class PageTooLongError(RejectedError):
    """The server refuses this text as too long, although it answered others that are hardly shorter."""


class ContentRefusedError(RejectedError):
    """The server does not process this text: its content filter refused it."""


class NoAnswerError(ModelError):
    """Two replies in a row held no answer."""


class LiveRequestError(ModelError):
    """Live requests are switched off."""


class BrowserError(ReadAgentError):
    """The browser, or the page in it."""


class ActionFailedError(BrowserError):
    """An element that is gone, covered, or of another kind; the page itself still works."""


class BudgetExceededError(ReadAgentError):
    """The user's limit was reached; nothing is lost."""


class LibraryError(ReadAgentError):
    """The library, in a file or on a server."""


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


class UnreachableLibraryError(LibraryError):
    """The PostgreSQL server of the library does not answer."""

    retryable = True


class FullDiskError(LibraryError):
    """No space left; everything so far is kept."""
