"""PrivateLoop: an event loop on its own thread, for code that does not await, even where a loop is running.

``waits`` makes a method that waits of an async one.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from queue import SimpleQueue
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from readagent.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")
W = TypeVar("W", covariant=True)  # the async class


class PrivateLoop:
    """Runs coroutines with ``wait``. ``end`` runs ``last`` and stops the loop; so does the end of the program.

    A call from the loop's own thread, which a listener or a model would make, raises UsageError: it would wait for
    itself.
    """

    def __init__(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = os.getpid()
        self._thread = threading.Thread(target=_run, args=(self._loop,), name="readagent", daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, _end, self._loop, self._thread, last)

    def require_open(self) -> None:
        """Raise UsageError if the loop has ended, is the one that is calling, or was left in the parent by a fork."""
        if self._loop.is_closed():
            raise agent_closed()
        if self._process != os.getpid():
            raise UsageError(
                "an agent cannot be used in a process that was forked from the one that made it",
                hint="make an agent in each process",
            )
        if self._thread is threading.current_thread():
            raise UsageError(
                "an agent cannot be called while it is calling you, as it would wait for itself",
                hint="note what the listener is told, and call the agent afterwards or on another thread",
            )

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of some work, which is cancelled if the user interrupts."""
        try:
            self.require_open()
        except UsageError:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise
        except CancelledError:  # the loop has ended meanwhile
            raise agent_closed() from None

    def end(self) -> None:
        """Run ``last`` and stop the loop, once."""
        if self._end.alive:
            self.require_open()
            self._end()

    def as_finished(
        self, items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, R]], most: int
    ) -> Iterator[tuple[T, R]]:
        """Yield each item with the result of its work, in the order in which they finish.

        Items are taken on the thread of the caller, while others are in work: ``most`` at a time. The first failure
        cancels the rest and is raised, and so does an interrupt.
        """
        self.require_open()
        return self._as_finished(items, work, most)

    def _as_finished(
        self, items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, R]], most: int
    ) -> Iterator[tuple[T, R]]:
        running: dict[Future[R | _Failure], T] = {}
        finished: SimpleQueue[Future[R | _Failure]] = SimpleQueue()
        try:
            for item in items:
                self.require_open()
                future = asyncio.run_coroutine_threadsafe(_caught(work(item)), self._loop)
                running[future] = item
                future.add_done_callback(finished.put)
                while len(running) >= most or not finished.empty():
                    future = finished.get()
                    yield running.pop(future), _result(future)
            while running:
                future = finished.get()
                yield running.pop(future), _result(future)
        finally:
            for future in running:
                future.cancel()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped. A listener that calls ``sys.exit`` ends its call, not the loop."""
    while True:
        try:
            return loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue  # the call raises it


class Waiting(Generic[W]):
    """A class whose methods wait for those of an async one, which ``waits`` makes them from."""

    _inner: W
    _loop: PrivateLoop


def waits(method: Callable[Concatenate[W, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Waiting[W], P], T]:
    """Return an async method, with its parameters and docstring, as one that waits for the result."""

    @wraps(method)
    def wait(self: Waiting[W], /, *args: P.args, **options: P.kwargs) -> T:
        return self._loop.wait(method(self._inner, *args, **options))

    return wait


def takes_the_same_as(
    original: Callable[P, Any],
) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], R]]:
    """Give a method the parameters of a class or a function, to which it passes what it is given."""

    def decorate(method: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        own, *_ = signature(method).parameters.values()
        method.__signature__ = signature(original).replace(parameters=[own, *signature(original).parameters.values()])  # type: ignore[attr-defined]
        return method

    return decorate


@dataclass(frozen=True, slots=True)
class _Failure:
    """An error as a result. An error that is raised by cancelled work would be logged with its traceback."""

    error: Exception


async def _caught(work: Coroutine[Any, Any, R]) -> R | _Failure:
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - raised by `_result`
        return _Failure(error)


def _result(future: Future[R | _Failure]) -> R:
    """Return the result of finished work, or raise its error. Only the end of the loop cancels it."""
    try:
        result = future.result()
    except CancelledError:
        raise agent_closed() from None
    if isinstance(result, _Failure):
        raise result.error
    return result


def agent_closed() -> UsageError:
    """Return the error for work that is asked of a closed agent."""
    return UsageError("the agent is closed", hint="make a new one")


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of some work, done on a loop of its own, also where another loop is running."""

    async def nothing() -> None:
        """There is nothing to close."""

    loop = PrivateLoop(nothing)
    try:
        return loop.wait(work)
    finally:
        loop.end()


def _end(
    loop: asyncio.AbstractEventLoop, thread: threading.Thread, last: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    if thread is threading.current_thread():  # the last reference was dropped on the loop itself, which cannot wait
        loop.stop()
        return
    try:
        asyncio.run_coroutine_threadsafe(last(), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(_wind_up(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _wind_up() -> None:
    """Cancel the tasks and close the generators that are left on a loop that is about to end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
