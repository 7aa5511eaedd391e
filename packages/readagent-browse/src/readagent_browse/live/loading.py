"""PageLoading: which requests of a page are in flight, and whether its content depends on them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent_browse.live.browser import browser_gone, translate_errors
from readagent_browse.live.consent import Consent

if TYPE_CHECKING:
    from readagent_browse.live.browser import Page, Request, WebSocket

_AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})  # pictures and streams are not
_SOCKET_PATIENCE = 2.0  # seconds for the answer to a message through a WebSocket
_SOCKET_PAUSE = 0.4  # seconds between the messages of one answer
_AT_ONCE = 6  # requests that a browser sends to one host; the others wait for their turn


class PageLoading:
    """Follows the requests of one page. ``changed`` is set when a request starts or ends.

    A request is awaited for ``patience`` seconds from when it is its turn to be sent: a server may keep one open for as
    long as the page is shown. ``_sent`` is when that was. What is sent through a WebSocket is awaited too, until
    messages come back and no more follow: some applications have no other way to their server.
    """

    def __init__(self, page: Page, patience: float) -> None:
        self._page = page
        self._patience = patience
        self._started: dict[Request, str] = {}  # with their hosts, oldest first
        self._sent: dict[Request, float] = {}
        self._told = 0.0  # when a WebSocket was opened, or something sent through it
        self._began = 0.0  # when the first of such messages was sent that follow each other at once
        self._heard = 0.0  # when a message came back; 0 until then
        self._sockets: set[WebSocket] = set()  # that are open
        self.changed = asyncio.Event()
        page.on("request", self._on_start)
        page.on("requestfinished", self._on_end)
        page.on("requestfailed", self._on_end)
        page.on("websocket", self._on_socket)

    @property
    def is_navigating(self) -> bool:
        """Whether a new page is being loaded."""
        return bool(self.awaited_host)

    @property
    def awaited_host(self) -> str:
        """The host of the new page that is being loaded; empty if none is."""
        documents = (one for one in self._started if one.resource_type == "document" and self._is_main(one))
        return next((self._started[one] for one in documents), "")

    @property
    def is_loading(self) -> bool:
        """Whether a request is in flight that the page is likely to need."""
        recent = asyncio.get_running_loop().time() - self._patience
        return self.is_navigating or any(sent > recent for sent in self._sent.values()) or self._is_answering

    @property
    def is_waiting(self) -> bool:
        """Whether any request is in flight, however long ago it started."""
        return bool(self._started)

    @property
    def has_socket(self) -> bool:
        """Whether a WebSocket is open, through which content may come."""
        return bool(self._sockets)

    @property
    def _is_answering(self) -> bool:
        """Whether an answer through a WebSocket is awaited, or more of it; messages that never end are not."""
        now = asyncio.get_running_loop().time()
        if not self._sockets or self._began <= now - self._patience:
            return False
        if self._heard:
            return self._heard > now - _SOCKET_PAUSE
        return self._told > now - min(_SOCKET_PATIENCE, self._patience)

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

    def _on_socket(self, socket: WebSocket) -> None:
        self._sockets.add(socket)
        self._on_told()
        socket.on("framesent", self._on_told)
        socket.on("framereceived", self._on_heard)
        socket.on("close", self._on_closed)

    def _on_told(self, _: object = None) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._told > 2 * _SOCKET_PAUSE:
            self._began = now
        self._told, self._heard = now, 0.0

    def _on_heard(self, _: object = None) -> None:
        self._heard = asyncio.get_running_loop().time()
        self.changed.set()

    def _on_closed(self, socket: WebSocket) -> None:
        self._sockets.discard(socket)
        self.changed.set()

    def _note_sent(self) -> None:
        """Note the time for the requests whose turn has come."""
        before = Counter[str]()
        for request, host in self._started.items():
            before[host] += 1
            if before[host] <= _AT_ONCE:
                self._sent.setdefault(request, asyncio.get_running_loop().time())


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
