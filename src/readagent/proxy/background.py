"""Gists that are written after a response, while no request is being answered: the next ones are answered from them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from contextvars import Context
from math import inf

from readagent.core.concurrency import together
from readagent.errors import ReadAgentError
from readagent.proxy.compress import Compressed
from readagent.proxy.memory import PageMemory

_AT_ONCE = 4  # gists; the next request waits for these, where the server answers one at a time
_TRIED = 5  # gists that are of no use, before any that is, which show that the model writes none
_log = logging.getLogger(__name__)


class GistWriter:
    """Writes gists for requests that were answered, and pauses while others are."""

    def __init__(self) -> None:
        self._answering = 0
        self._free = asyncio.Event()
        self._free.set()
        self._jobs: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether gists are being written."""
        return bool(self._jobs)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Begin no gists meanwhile."""
        self._answering += 1
        self._free.clear()
        try:
            yield
        finally:
            self._answering -= 1
            if not self._answering:
                self._free.set()

    def start(self, made: Compressed, most: int, reader: AbstractAsyncContextManager[object]) -> None:
        """Write gists that are missing, with at most so many calls for this request, those of its look-up included."""
        if made.memory is not None and most > 0:
            job = asyncio.create_task(self._write(made.memory, made.likely, most, reader), context=Context())
            self._jobs.add(job)
            job.add_done_callback(self._jobs.discard)

    async def _write(
        self, memory: PageMemory, likely: tuple[int, ...], most: int, reader: AbstractAsyncContextManager[object]
    ) -> None:
        async with reader:
            with suppress(asyncio.CancelledError):
                try:
                    useful = await write_missing(memory, likely, most, self._free)
                    _log.info("%d gists were written after the response", useful)
                except ReadAgentError as error:
                    _log.info("gists are written later: %s", error)

    async def aclose(self) -> None:
        """Stop writing; calls in flight go on, and their replies are kept."""
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)


async def write_missing(
    memory: PageMemory, likely: tuple[int, ...] = (), most: float = inf, free: asyncio.Event | None = None
) -> int:
    """Write the gists that are missing while the event is set, with so many calls at most, and return how many."""
    tried = useful = 0
    for wave in memory.missing(likely):
        for at in range(0, len(wave), _AT_ONCE):
            if free is not None:
                await free.wait()
            left = most - sum(call.paid for call in memory.session.trace.calls)
            if left <= 0 or (tried >= _TRIED and not useful):
                return useful
            written = await together(memory.write(span) for span in wave[at : at + int(min(left, _AT_ONCE))])
            tried, useful = tried + len(written), useful + sum(written)
    return useful
