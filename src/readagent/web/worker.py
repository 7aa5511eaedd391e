"""Worker: an event loop on a thread of its own, so that the agent's work never delays the answer to a request."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 5.0  # seconds until cancelled work has ended


class Worker:
    """Runs coroutines for other threads. ``close`` cancels what is left and ends the thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="readagent-jobs", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start some work from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of some work to another event loop."""
        return await asyncio.wrap_future(self.submit(work))

    def close(self) -> None:
        """Cancel all work that is left, and end the thread."""
        if self.loop.is_closed():
            return
        with suppress(TimeoutError):  # what does not end in time ends with the process
            self.submit(_wind_up()).result(_PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_PATIENCE)
        if not self._thread.is_alive():
            self.loop.close()


async def _wind_up() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
    await asyncio.get_running_loop().shutdown_default_executor()
