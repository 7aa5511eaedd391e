"""PageLoading: which requests of a page are in flight, and whether its content depends on them."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent.webnav.live.browser import translate_errors

if TYPE_CHECKING:
    from readagent.webnav.live.browser import Page, Request

_AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})  # pictures and streams are not


_AT_ONCE = 6  # requests that a browser sends to one host; the others wait for their turn


class PageLoading:
    """Follows the requests of one page. ``changed`` is set when a request starts or ends.

    A request is awaited for ``patience`` seconds from when it is its turn to be sent: a server may keep one open for as
    long as the page is shown. ``_sent`` is when that was.
    """

    def __init__(self, page: Page, patience: float) -> None:
        self._page = page
        self._patience = patience
        self._started: dict[Request, str] = {}  # with their hosts, oldest first
        self._sent: dict[Request, float] = {}
        self.changed = asyncio.Event()
        page.on("request", self._on_start)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_end)

    @property
    def is_navigating(self) -> bool:
        """Whether a new page is being loaded."""
        return any(request.resource_type == "document" and self._is_main(request) for request in self._started)

    @property
    def is_loading(self) -> bool:
        """Whether a request is in flight that the page is likely to need."""
        recent = asyncio.get_running_loop().time() - self._patience
        return self.is_navigating or any(sent > recent for sent in self._sent.values())

    @property
    def is_waiting(self) -> bool:
        """Whether any request is in flight, however long ago it started."""
        return bool(self._started)

    def _is_main(self, request: Request) -> bool:
        with suppress(BrowserError), translate_errors("a frame"):
            return request.frame == self._page.main_frame
        return False

    def _on_start(self, request: Request) -> None:
        if request.resource_type in _AWAITED:
            with suppress(BrowserError), translate_errors("a frame"):  # a tab that is being opened has no frame yet
                if request.frame.page == self._page:
                    self._started[request] = urlsplit(request.url).netloc
                    self._note_sent()
        self.changed.set()

    def _on_end(self, request: Request) -> None:
        self._started.pop(request, None)
        self._sent.pop(request, None)
        self._note_sent()
        self.changed.set()

    def _note_sent(self) -> None:
        """Note the time for the requests whose turn has come."""
        before = Counter[str]()
        for request, host in self._started.items():
            before[host] += 1
            if before[host] <= _AT_ONCE:
                self._sent.setdefault(request, asyncio.get_running_loop().time())
