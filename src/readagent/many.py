"""The same work for many documents: an error of one is its result, and an error that all would meet ends the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NoReturn, TypeVar
from weakref import WeakValueDictionary

from readagent.core.document import Document
from readagent.core.events import Event
from readagent.core.outage import ONE_PAGE, concerns_all_texts
from readagent.core.trace import Call, Usage
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
from readagent.models.spending import note_spending
from readagent.models.turns import part_of
from readagent.source import Source, document_of

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
