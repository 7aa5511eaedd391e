"""Ask a few things at once until a reply was usable, and then many: a model that is of no use costs few calls."""

from __future__ import annotations

import asyncio
from types import TracebackType

from readagent.core.outage import Outage

_AT_FIRST = 2  # calls at once before any reply was usable
_CONCURRENT = 256  # maximum number at once, so that not too many prompts wait


class FirstCalls:
    """A context manager that lets few calls begin at once before the first usable reply, and many after it.

    Otherwise all pages would be asked for before the first gists show whether the model is of any use.
    """

    def __init__(self, outage: Outage) -> None:
        self._outage = outage
        self._few = asyncio.Semaphore(_AT_FIRST)
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
