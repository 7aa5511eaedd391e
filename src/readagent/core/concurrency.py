"""Run coroutines at once: a failure is one error, and few calls are made until a reply was usable.

A page that a server fails on is told from a server that fails on everything, and from a model that is of no use.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, TypeVar

from readagent.core.model import Ask
from readagent.errors import (
    BadReplyError,
    ContentRefusedError,
    ModelError,
    NoAnswerError,
    PageTooLongError,
    ReadAgentError,
    RejectedError,
    ServerFaultError,
    SlowReplyError,
)

T = TypeVar("T")
R = TypeVar("R")


async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results in order. The first failure cancels the rest and is raised."""
    with one_error():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    return [task.result() for task in tasks]


def start_in(group: asyncio.TaskGroup, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Return the task of a coroutine in a group; the coroutine is closed if the group is ending after a failure."""
    try:
        return group.create_task(coroutine)
    except RuntimeError:
        coroutine.close()
        raise


async def as_finished(
    items: AsyncIterator[T], work: Callable[[T], Coroutine[Any, Any, R]], most: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Yield each item with the result of its work, in the order in which they finish.

    At most ``most`` items are in work, and the next one is taken only when there is room for it. The first failure
    cancels the rest and is raised.
    """
    running: dict[asyncio.Task[R], T] = {}
    coming: asyncio.Task[list[T]] | None = None
    more = True
    try:
        while more or running:
            if more and coming is None and len(running) < most:
                coming = asyncio.create_task(_next(items))
            done, _ = await asyncio.wait(
                [*running, *([coming] if coming is not None else [])], return_when=asyncio.FIRST_COMPLETED
            )
            if coming is not None and coming in done:
                taken, coming = coming.result(), None
                more = bool(taken)
                running.update((asyncio.create_task(work(item)), item) for item in taken)
            for task in [task for task in running if task in done]:
                yield running.pop(task), task.result()
    finally:
        left: list[asyncio.Task[Any]] = [*running, *([coming] if coming is not None else [])]
        for unfinished in left:
            unfinished.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _next(items: AsyncIterator[T]) -> list[T]:
    """Return the next item, or nothing at the end. A task cannot raise StopAsyncIteration."""
    async for item in items:
        return [item]
    return []


async def on_threads(items: Iterable[T]) -> AsyncGenerator[T, None]:
    """Yield items that are computed on another thread, one at a time."""
    source = iter(items)

    def take() -> list[T]:
        for item in source:
            return [item]
        return []

    while taken := await asyncio.to_thread(take):
        yield taken[0]


@contextmanager
def one_error() -> Iterator[None]:
    """Raise one error in place of an exception group: a ReadAgentError if there is one, or else the first."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    errors = [_first(error) if isinstance(error, BaseExceptionGroup) else error for error in group.exceptions]
    return next((error for error in errors if isinstance(error, ReadAgentError)), errors[0])


ONE_PAGE = (RejectedError, ServerFaultError, BadReplyError, SlowReplyError)  # errors that one text may cause
_FAILURES_AT_FIRST = 3  # failures before any reply which show that nothing works,
_REFUSED_AT_FIRST = 10  # or refusals, which come at once
_FORBIDDEN = 403  # the status of servers that refuse a text, if they accept the key
_IN_A_ROW = 5  # failures since the last reply which make it doubtful that anything works
_USELESS_AT_FIRST = 5  # pages without a usable gist, before any page with one, which show that the model is of no use,
_USELESS_IN_ALL = 3  # or this many if the text has no more; a shorter text is usable without gists
_TO_CONTINUE = "nothing is lost: run the same again later to continue, or use another model"


@dataclass(slots=True)
class Outage:
    """The failures of a server during one run, each by its message, and the pages that got no usable gist.

    ``usable`` becomes true with the first usable gist, and ``worked`` with the first usable reply of any kind. So many
    requests may be ``refused_at_first``, before any reply, until the server is taken to refuse all of them.
    """

    refused_at_first: int = _REFUSED_AT_FIRST
    errors: dict[str, ModelError] = field(default_factory=dict)
    usable: bool = False
    worked: bool = False
    _answered: Ask | None = None  # the shortest ask that was answered
    _in_a_row: int = 0
    _probes: int = 0
    _useless: list[str] = field(default_factory=list)

    def replied(self, ask: Ask) -> None:
        """Note that the server replied to this ask."""
        if self._answered is None or len(ask.prompt) < len(self._answered.prompt):
            self._answered = replace(ask, listen=None, restart=None)
        self._in_a_row = 0

    def failed(self, error: ModelError) -> str:
        """Note that a prompt failed, and return the reason; raise the error if the server fails on everything.

        A text that a content filter refuses says nothing about other texts, unless nothing was accepted so far.
        """
        content = isinstance(error, ContentRefusedError)
        self._in_a_row += not (content and self._answered is not None)
        nothing_yet = self._answered is None and not self.usable
        if concerns_all_texts(error) or (nothing_yet and self._in_a_row >= self._most_at_first(error)):
            raise error
        self.errors[str(error)] = error
        return str(error)

    def _most_at_first(self, error: ModelError) -> int:
        """Return how many failures like this one, before any reply, show that nothing works."""
        if not isinstance(error, RejectedError):
            return _FAILURES_AT_FIRST
        status = error.response[0] if error.response is not None else 0
        about_text = isinstance(error, ContentRefusedError | PageTooLongError) or status == _FORBIDDEN
        return _REFUSED_AT_FIRST if about_text else self.refused_at_first

    def probe(self) -> Ask | None:
        """Return an ask to find out whether anything still works, after several failures in a row; otherwise None.

        It was answered before. White space at its end makes it a new one for caches.
        """
        if self._answered is None or not self._in_a_row or self._in_a_row % _IN_A_ROW:
            return None
        self._probes += 1
        return replace(self._answered, prompt=self._answered.prompt + "\n" * self._probes)

    def gist_made(self, problem: str) -> None:
        """Note whether a page got a usable gist; raise NoAnswerError if none of the first pages did."""
        if not problem:
            self.usable = self.worked = True
        elif problem not in self.errors:
            self._useless.append(problem)
            self._check_usable(_USELESS_AT_FIRST)

    def check(self, lost: list[str], pages: int) -> None:
        """Raise an error if more than half of the pages have no gist because of it; ``lost`` are the reasons.

        Raise NoAnswerError if no page has a usable gist and there are enough of them.
        """
        caused = [self.errors[reason] for reason in lost if reason in self.errors]
        if 2 * len(caused) > pages:
            raise with_hint(caused[0])
        self._check_usable(_USELESS_IN_ALL)

    def _check_usable(self, enough: int) -> None:
        if self.usable or len(self._useless) < enough:
            return
        raise NoAnswerError(
            f"the model returned nothing usable for the first {len(self._useless)} pages: {self._useless[-1]}",
            hint="use another model; if the server has a problem, run the same again later",
        )


def concerns_all_texts(error: ModelError) -> bool:
    """Whether a server would fail on any other text, too.

    A busy server is busy for all texts, and a refusal with a hint of its own is about the account or the settings.
    """
    if isinstance(error, ServerFaultError):
        return error.busy or error.retry_after is not None
    about_text = not isinstance(error, RejectedError) or isinstance(error, ContentRefusedError)
    return not about_text and error.hint not in ("", _TO_CONTINUE)


def with_hint(error: ModelError) -> ModelError:
    """Return the error of a server that stopped working, with a hint on how to continue."""
    error.hint = error.hint or _TO_CONTINUE
    return error


_CALLS_AT_FIRST = 2  # calls at once before any reply was usable
_CONCURRENT = 256  # maximum number at once, so that not too many prompts wait


class FirstCalls:
    """A context manager that lets few calls begin at once before the first usable reply, and many after it.

    Otherwise all pages would be asked for before the first gists show whether the model is of any use.
    """

    def __init__(self, outage: Outage) -> None:
        self._outage = outage
        self._few = asyncio.Semaphore(_CALLS_AT_FIRST)
        self._many = asyncio.Semaphore(_CONCURRENT)
        self._open = False

    async def __aenter__(self) -> None:
        await self._many.acquire()
        try:
            if not self._outage.worked:
                await self._few.acquire()
        except asyncio.CancelledError:
            self._many.release()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._many.release()
        if not self._outage.worked:
            self._few.release()
        elif not self._open:
            self._open = True
            for _ in range(_CONCURRENT):  # all that wait; nobody else will
                self._few.release()
