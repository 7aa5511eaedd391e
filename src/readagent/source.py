"""Sources: a document, or the path or address of one; and the same work for many of them.

An error of one document is its result, and an error that all would meet ends the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Generic, NoReturn, TypeVar
from weakref import WeakValueDictionary

from readagent.core.concurrency import ONE_PAGE, concerns_all_texts
from readagent.core.document import Document, shortened
from readagent.core.memory import GistMemory
from readagent.core.trace import Call, Event, Usage
from readagent.errors import (
    BudgetExceededError,
    ContentRefusedError,
    LibraryError,
    LiveRequestError,
    LoadError,
    ModelError,
    NoAnswerError,
    NotInLibraryError,
    PromptError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
    UsageError,
)
from readagent.loaders import load
from readagent.loaders.sources.files import is_address
from readagent.models.fair_queue import part_of
from readagent.models.ledger import note_spending

Source = Document | str | Path
S = TypeVar("S", bound=Source)
Many = TypeVar("Many")

_A_TEXT = "a text is read with Document.from_text(…)"


async def document_of(source: Source) -> Document:
    """Return a document, loaded from its path or address if need be. A str names a source, it is never a text."""
    if isinstance(source, Document):
        return source
    _check(source)
    return await asyncio.to_thread(_loaded, source)


def _check(source: object) -> None:
    """Raise UsageError for what cannot be a path or an address."""
    if not isinstance(source, str | PathLike):
        hint = _A_TEXT
        if hasattr(source, "read"):
            hint = "give the path of the file"
        elif isinstance(source, Iterable) and not isinstance(source, bytes | bytearray):
            hint = "several documents are read with read_all"
        raise UsageError(f"a document, a path or a URL is needed, not {type(source).__name__}", hint=hint)
    if "\n" in str(source):
        raise UsageError("a path or a URL is needed, not a text of several lines", hint=_A_TEXT)


def _loaded(source: str | Path) -> Document:
    try:
        return load(source)
    except LoadError as error:
        if not isinstance(source, str) or is_address(source) or _exists(source):
            raise
        raise LoadError(f"there is no file {shortened(source, 80)}", hint=f"{error.hint}; {_A_TEXT}") from None


def _exists(source: str) -> bool:
    try:
        return source == "-" or Path(source).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # not a path: too long, for example
        return False


def require_memory(memory: object) -> None:
    """Raise UsageError for anything that is not a memory, such as the path of a document."""
    if not isinstance(memory, GistMemory):
        hint = "read the document first: memory = agent.read(source)"
        raise UsageError(f"a memory is needed, not {type(memory).__name__}", hint=hint)


def require_text(more: object) -> None:
    """Raise UsageError for anything that cannot be appended to a document."""
    if not isinstance(more, str | Document):
        hint = "give a text, or a document: load(path) returns one"
        raise UsageError(f"a text or a Document is needed, not {type(more).__name__}", hint=hint)


def several(sources: Many) -> Many:
    """Return several sources; raise UsageError for a single one, since a path is a sequence of letters too."""
    if isinstance(sources, Document | str | PathLike):
        raise UsageError("several documents are needed, not one", hint="give a list of documents, paths or URLs")
    return sources


R = TypeVar("R")
ListenToAll = Callable[[Document, Event], None]

FATAL = (BudgetExceededError, LibraryError, LiveRequestError, PromptError, UnauthorizedError, UnknownModelError)
_FAILED_IN_A_ROW = 3  # documents that the model fails on; it may fail on the others too
_REFUSED_IN_A_ROW = 10  # documents that its content filter refuses, which says less about the others


def ignore_all(document: Document, event: Event) -> None:
    """Do nothing: the default listener to the reading of many documents."""


class ForEach(Generic[R]):
    """Does some work for each document, which is loaded if need be, and returns its result or its error.

    An error that every document would meet is raised: a wrong key, an exhausted budget, a server that is down. After
    three documents in a row that the model fails on, or ten that its content filter refuses, no other is begun until
    the server answers a call for one of those in work; if it does not, the last error is raised. Documents with the
    same text take turns, so that the second one finds in the library what was made for the first. ``model`` returns the
    model that the work needs, or raises UsageError if the settings name none that can be used.
    """

    def __init__(
        self,
        work: Callable[[Document, ListenToAll], Awaitable[R]],
        listen: ListenToAll = ignore_all,
        *,
        model: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._work, self._listen, self._model = work, listen, model
        self._failed: dict[str, ModelError] = {}  # in a row, by document: one may be tried again
        self._in_work = 0
        self._changed = asyncio.Event()
        self._calls, self._paid = 0, Usage()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, source: Source) -> R | ReadAgentError:
        try:
            document = await document_of(source)
        except LoadError as error:
            return error
        name = document.id
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:
            await self._may_begin()
            self._in_work += 1
            try:
                with part_of(name):
                    result = await self._work(document, self._hear)
            except NotInLibraryError as error:  # the document was removed meanwhile
                return error
            except ReadAgentError as error:
                if _concerns_all(error) or await self._has_no_model(error):
                    self._end(error)
                if isinstance(error, ModelError):
                    self._failed.pop(name, None)
                    self._failed[name] = error
                return error
            finally:
                self._in_work -= 1
                self._changed.set()
        self._failed.clear()
        return result

    async def _may_begin(self) -> None:
        """Wait while it is doubtful whether the model works; raise its last error if it does not."""
        while self._is_doubtful():
            if not self._in_work:
                error = self._last_failure()
                error.__notes__ = [f"{len(self._failed)} documents in a row failed, so no others were begun"]
                self._end(error)
            self._changed.clear()
            await self._changed.wait()

    async def _has_no_model(self, error: ReadAgentError) -> bool:
        """Whether the error is that the settings name no model that can be used."""
        if self._model is None or not isinstance(error, UsageError):
            return False
        try:
            await self._model()
        except UsageError:
            return True
        return False

    def _is_doubtful(self) -> bool:
        refused = sum(isinstance(error, ContentRefusedError) for error in self._failed.values())
        return len(self._failed) - refused >= _FAILED_IN_A_ROW or len(self._failed) >= _REFUSED_IN_A_ROW

    def _last_failure(self) -> ModelError:
        return next(reversed(self._failed.values()))

    def _hear(self, document: Document, event: Event) -> None:
        """Pass an event on. A call shows that the server works, but not that the model is of any use."""
        if isinstance(event, Call) and event.paid:
            self._calls, self._paid = self._calls + 1, self._paid + event.usage
            if self._failed and not isinstance(self._last_failure(), NoAnswerError):
                self._failed.clear()
                self._changed.set()
        self._listen(document, event)

    def _end(self, error: ReadAgentError) -> NoReturn:
        """Raise an error that ends the work, with what was spent on all documents."""
        note_spending(error, self._calls, self._paid)
        raise error


def _concerns_all(error: ReadAgentError) -> bool:
    """Whether every document would meet this error."""
    if isinstance(error, ONE_PAGE):
        return concerns_all_texts(error)
    return isinstance(error, FATAL) or error.retryable
