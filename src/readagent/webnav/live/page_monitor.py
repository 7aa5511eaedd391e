"""PageMonitor: track what a page loads, answer its dialogs and downloads, and record what it does of its own accord."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent.webnav.live.background import BackgroundTasks
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.consent import Consent
from readagent.webnav.live.network_guard import NetworkGuard
from readagent.webnav.live.request_filter import RequestFilter, without_query

if TYPE_CHECKING:
    from readagent.webnav.live.browser import Dialog, Download, Page, Request

_AWAITED = frozenset({"document", "xhr", "fetch"})  # kinds of requests to wait for before a page is read


class PageMonitor:
    """Monitors one page. ``changed`` is set when a request starts or ends and when something is recorded.

    Files that the user agrees to are saved in ``downloads``; without a folder they are refused.
    """

    def __init__(self, page: Page, guard: NetworkGuard, consent: Consent) -> None:
        self._page = page
        self._in_flight: set[Request] = set()
        self._tasks = BackgroundTasks()
        self._events: list[str] = []
        self.changed = asyncio.Event()
        self._consent = consent
        self.downloads: Path | None = None
        self.requests = RequestFilter(page, guard, self.record)

    async def start(self) -> None:
        """Monitor from now on."""
        await self.requests.start()
        page = self._page
        page.on("request", self._request_started)
        page.on("requestfinished", self._request_ended)
        page.on("requestfailed", self._request_ended)
        page.on("dialog", lambda dialog: self._tasks.run(self._on_dialog(dialog)))
        page.on("download", lambda download: self._tasks.run(self._on_download(download)))
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
        accept = dialog.type in ("alert", "beforeunload")
        if dialog.type == "confirm":
            host = urlsplit(self._page.url).netloc
            accept = self._consent.permits(f"answer yes to a dialog of {host}: {message}", self._page.url)
        with suppress(BrowserError), translate_errors("a dialog"):
            await (dialog.accept() if accept else dialog.dismiss())
        if dialog.type == "alert":
            self.record(f"the page said: {message}")
        elif dialog.type != "beforeunload":
            self.record(f"the page asked: {message} (answered with {'yes' if accept else 'no'})")

    async def _on_download(self, download: Download) -> None:
        name = Path(download.suggested_filename).name or "download"
        place = without_query(download.url)
        agreed = self.downloads is not None and self._consent.permits(f"save {name} from {place}", download.url)
        with suppress(BrowserError), translate_errors("a download"):
            if self.downloads is None or not agreed:
                await download.cancel()
                self.record(f"a download was refused: {name}")
            else:
                await download.save_as(_free_path(self.downloads, name))
                self.record(f"a file was saved: {name}")

    def _request_started(self, request: Request) -> None:
        if request.resource_type in _AWAITED and self.requests.is_own(request):
            self._in_flight.add(request)
        self.changed.set()

    def _request_ended(self, request: Request) -> None:
        self._in_flight.discard(request)
        self.changed.set()


def _free_path(folder: Path, name: str) -> Path:
    """Return a path in the folder at which there is no file yet: ``name``, or ``2-name`` and so on."""
    return next(path for n in range(1, 10_000) if not (path := folder / (name if n == 1 else f"{n}-{name}")).exists())
