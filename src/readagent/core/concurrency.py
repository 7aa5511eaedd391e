"""Run coroutines concurrently; a failure is raised as one error, not as a group."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from readagent.errors import ReadAgentError

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
