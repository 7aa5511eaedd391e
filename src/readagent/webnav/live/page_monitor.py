"""PageMonitor: track what a page loads, answer its dialogs, and record what it does of its own accord."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from readagent.errors import BrowserError
from readagent.webnav.live.background import BackgroundTasks
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard
from readagent.webnav.live.request_filter import RequestFilter

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Dialog, Page, Request

_AWAITED = frozenset({"document", "xhr", "fetch"})  # kinds of requests to wait for before a page is read


class PageMonitor:
    """Monitors one page. ``changed`` is set when a request starts or ends and when something is recorded.

    ``accept_dialogs`` is whether confirm dialogs are answered with yes.
    """

    def __init__(self, page: Page, cdp: CDPSession, guard: NetworkGuard) -> None:
        self._page = page
        self._in_flight: set[Request] = set()
        self._tasks = BackgroundTasks()
        self._events: list[str] = []
        self.changed = asyncio.Event()
        self.accept_dialogs = False
        self.requests = RequestFilter(page, cdp, guard, self.record)

    async def start(self) -> None:
        """Monitor from now on."""
        await self.requests.start()
        page = self._page
        page.on("request", self._request_started)
        page.on("requestfinished", self._request_ended)
        page.on("requestfailed", self._request_ended)
        page.on("dialog", lambda dialog: self._tasks.run(self._on_dialog(dialog)))
        page.on("download", lambda download: self.record(f"a download was refused: {download.suggested_filename}"))
        page.on("filechooser", lambda chooser: self.record("the page asked for a file, and got none"))
        page.context.on("page", lambda other: self._tasks.run(self._close_popup(other)))

    @property
    def is_loading(self) -> bool:
        """Whether a request that the page needs is in flight."""
        return bool(self._in_flight)

    @property
    def is_navigating(self) -> bool:
        """Whether a new page is being loaded."""
        return any(request.resource_type == "document" for request in self._in_flight)

    def record(self, event: str) -> None:
        """Record something that happened; prompts and traces mention it."""
        self._events.append(event)
        self.changed.set()

    def take_events(self) -> tuple[str, ...]:
        """Return what was recorded since the last call, each event once."""
        events, self._events = tuple(dict.fromkeys(self._events)), []
        return events

    async def _close_popup(self, other: Page) -> None:
        if other != self._page:
            with suppress(BrowserError), translate_errors("closing a tab"):
                await other.close()
            if not self.requests.new_tab_url:
                self.record("a pop-up was closed")

    async def _on_dialog(self, dialog: Dialog) -> None:
        message = " ".join(dialog.message.split())[:200]
        accept = dialog.type in ("alert", "beforeunload") or (dialog.type == "confirm" and self.accept_dialogs)
        with suppress(BrowserError), translate_errors("a dialog"):
            await (dialog.accept() if accept else dialog.dismiss())
        if dialog.type == "alert":
            self.record(f"the page said: {message}")
        elif dialog.type != "beforeunload":
            self.record(f"the page asked: {message} (answered with {'yes' if accept else 'no'})")

    def _request_started(self, request: Request) -> None:
        if request.resource_type in _AWAITED and self.requests.is_own(request):
            self._in_flight.add(request)
        self.changed.set()

    def _request_ended(self, request: Request) -> None:
        self._in_flight.discard(request)
        self.changed.set()
