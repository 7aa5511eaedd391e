"""Work on the parts of an overview at once, and tell listeners how many of them are done."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from readagent.core.concurrency import together
from readagent.core.events import Working
from readagent.core.session import Session

T = TypeVar("T")
R = TypeVar("R")


async def for_each(
    parts: Sequence[T], work: Callable[[T], Coroutine[Any, Any, R]], session: Session, doing: str
) -> list[R]:
    """Return the result of the work on each part, in order. ``doing`` names it for people."""
    done = 0

    async def one(part: T) -> R:
        nonlocal done
        result = await work(part)
        done += 1
        session.emit(Working(doing, done, len(parts)))
        return result

    if parts:
        session.emit(Working(doing, 0, len(parts)))
    return await together(one(part) for part in parts)
