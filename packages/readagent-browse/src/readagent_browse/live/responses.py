"""PageResponses: wait for what a page was asked to do. It may be stuck, have crashed, or wait for a person's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from readagent.errors import BrowserError
from readagent_browse.live.browser import browser_gone
from readagent_browse.live.consent import Consent

T = TypeVar("T")


class PageResponses:
    """Waits at most for a number of seconds, in which no person was asked. ``lose`` ends all waiting, now and later.

    ``awaited_host`` returns the host of a page that was asked for and has not arrived; empty if there is none.
    """

    def __init__(self, seconds: float, consent: Consent) -> None:
        self._seconds = seconds
        self._consent = consent
        self.awaited_host: Callable[[], str] = lambda: ""
        self._lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def lose(self) -> None:
        """Take note that the page crashed or the browser ended, so that nothing will be answered any more."""
        if not self._lost.done():
            self._lost.set_result(None)

    def check(self) -> None:
        """Raise BrowserError if the page crashed or the browser ended."""
        if self._lost.done():
            raise browser_gone()

    async def wait_for(self, work: Awaitable[T]) -> T:
        """Return the result of work in the page. Raise BrowserError if there will be none."""
        task = asyncio.ensure_future(work)
        either: set[asyncio.Future[Any]] = {task, self._lost}
        try:
            while True:
                asked = self._consent.asked
                await asyncio.wait(either, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    return task.result()
                self.check()
                if self._consent.asked == asked:
                    if host := self.awaited_host():
                        raise BrowserError(f"{host} does not answer", hint="try again later")
                    raise BrowserError("the page does not respond", hint="one of its scripts may be stuck")
        finally:
            task.cancel()
