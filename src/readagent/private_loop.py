"""PrivateLoop: an event loop on a thread of its own, for code that does not await, also where a loop runs already."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class PrivateLoop:
    """Work is handed in with ``wait``. ``end`` does the last of it and stops; so does the end of the program."""

    def __init__(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self._loop.run_forever, name="readagent", daemon=True)
        thread.start()
        self.end = weakref.finalize(self, _end, self._loop, thread, last)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of some work; it is given up where the user interrupts."""
        return _wait(self._loop, work)


def _wait(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise


def _end(
    loop: asyncio.AbstractEventLoop, thread: threading.Thread, last: Callable[[], Coroutine[Any, Any, None]]
) -> None:
    if thread is threading.current_thread():  # the last reference was dropped on the loop itself: it cannot wait
        loop.stop()
        return
    try:
        _wait(loop, last())
    finally:
        _wait(loop, _wind_up())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _wind_up() -> None:
    """Let nothing linger on a loop that is about to end: neither tasks nor generators that were left half-way."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
