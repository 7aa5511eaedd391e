"""The same work for many documents: an error of one is its result, and an error that all would meet ends the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from readagent.core.document import Document
from readagent.errors import (
    BudgetExceededError,
    LibraryError,
    LiveRequestError,
    ModelError,
    NotInLibraryError,
    PromptError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
)
from readagent.models.turns import part_of

R = TypeVar("R")

FATAL = (BudgetExceededError, LibraryError, LiveRequestError, PromptError, UnauthorizedError, UnknownModelError)
_FAILED_IN_A_ROW = 3  # documents that the model fails on; it would fail on the others too


class ForEach(Generic[R]):
    """Does some work for each document, and returns its result or its error.

    An error that every document would meet is raised: a wrong key, an exhausted budget, a server that is down, or
    the third document in a row that the model fails on. Documents with the same text take turns, so that the second
    one finds in the library what was made for the first.
    """

    def __init__(self, work: Callable[[Document], Awaitable[R]]) -> None:
        self._work = work
        self._failed = 0
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def __call__(self, document: Document) -> R | ReadAgentError:
        name = document.id
        turn = self._turns.setdefault(name, asyncio.Lock())
        async with turn:
            try:
                with part_of(name):
                    result = await self._work(document)
            except NotInLibraryError as error:  # the document was removed meanwhile
                return error
            except FATAL:
                raise
            except ReadAgentError as error:
                self._failed += isinstance(error, ModelError)
                if error.retryable or self._failed >= _FAILED_IN_A_ROW:
                    raise
                return error
        self._failed = 0
        return result
