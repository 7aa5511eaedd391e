"""Doing several things at once, and getting one error, not a group of them, when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from readagent.errors import ReadAgentError

T = TypeVar("T")


async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order; the first failure cancels the rest."""
    with one_error():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    return [task.result() for task in tasks]


@contextmanager
def one_error() -> Iterator[None]:
    """Raises the error that matters out of a group: one of ours if there is one."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    errors = [_first(error) if isinstance(error, BaseExceptionGroup) else error for error in group.exceptions]
    return next((error for error in errors if isinstance(error, ReadAgentError)), errors[0])
