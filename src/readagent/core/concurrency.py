"""Run coroutines concurrently; a failure is raised as one error, not as a group."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from readagent.errors import ReadAgentError

T = TypeVar("T")


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
