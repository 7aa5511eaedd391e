"""PageMonitor: every request of a tab passes the guard, and what the page does beside being read is told.

Playwright's routes see the first request of everything, pop-ups too, but no redirects; Chromium's own protocol sees
each step of a redirect. What would open in a new tab is noted, to be opened in this one; the new tab is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Dialog, Page, Request, Route

_AWAITED = frozenset({"document", "xhr", "fetch"})  # what a page is not complete without


class PageMonitor:
    """Sees to one page. ``told`` is what happened; ``wanted`` an address that wanted a new tab.

    ``accept_dialogs`` is whether questions of the page (its confirm dialogs) are answered with yes.
    """

    def __init__(self, page: Page, cdp: CDPSession, guard: NetworkGuard) -> None:
        self._page = page
        self._cdp = cdp
        self._guard = guard
        self._frame = ""
        self._in_flight: set[Request] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed = asyncio.Event()
        self.events: list[str] = []
        self.new_tab_url = ""
        self.accept_dialogs = False

    async def start(self) -> None:
        """PageMonitor from now on."""
        page, context = self._page, self._page.context
        tree = await self._cdp.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        await context.route("**/*", self._on_request)
        self._cdp.on("Fetch.requestPaused", lambda paused: self._run(self._on_redirect(paused)))
        await self._cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        page.on("request", self._request_started)
        page.on("requestfinished", self._request_ended)
        page.on("requestfailed", self._request_ended)
        page.on("dialog", lambda dialog: self._run(self._on_dialog(dialog)))
        page.on("download", lambda download: self._record(f"a download was refused: {download.suggested_filename}"))
        page.on("filechooser", lambda chooser: self._record("the page asked for a file, and got none"))
        context.on("page", lambda other: self._run(self._close_popup(other)))

    @property
    def is_loading(self) -> bool:
        """Whether something the page is not complete without is still under way."""
        return bool(self._in_flight)

    @property
    def is_navigating(self) -> bool:
        """Whether another page is on its way."""
        return any(request.resource_type == "document" for request in self._in_flight)

    def take_events(self) -> tuple[str, ...]:
        """What was told since this was last asked."""
        told, self.events = tuple(dict.fromkeys(self.events)), []
        return told

    async def _on_request(self, route: Route) -> None:
        request = route.request
        navigates = request.is_navigation_request()
        with suppress(BrowserError), translate_errors("a request"):
            if navigates and not self._is_ours(request):
                await route.abort("aborted")
                await self._on_new_tab(request)
                return
            navigates = navigates and request.frame == self._page.main_frame
            if await self._is_allowed(request.url, navigates=navigates):
                await route.continue_()
            else:
                await route.abort("aborted" if navigates else "blockedbyclient")

    async def _on_redirect(self, paused: dict[str, Any]) -> None:
        """Each step of a redirect is looked at like a request of its own; first requests were looked at already."""
        url, name = paused["request"]["url"], {"requestId": paused["requestId"]}
        navigates = paused["resourceType"] == "Document" and paused.get("frameId") == self._frame
        with suppress(BrowserError), translate_errors("a redirect"):
            if not paused.get("redirectedRequestId") or await self._is_allowed(url, navigates=navigates):
                await self._cdp.send("Fetch.continueRequest", name)
            else:
                await self._cdp.send("Fetch.failRequest", {**name, "errorReason": "Aborted"})

    async def _is_allowed(self, url: str, *, navigates: bool) -> bool:
        refusal = await self._guard.refusal(url, navigates=navigates)
        if refusal and navigates:
            self._record(f"blocked: {redacted_url(url)}, for {refusal}")
        return not refusal

    def _is_ours(self, request: Request) -> bool:
        with suppress(BrowserError), translate_errors("a frame"):  # a tab that is about to be has no frame yet
            return request.frame.page == self._page
        return False

    async def _on_new_tab(self, request: Request) -> None:
        if request.method != "GET":
            self._record("blocked: a form that is sent to a new tab")
        elif await self._is_allowed(request.url, navigates=True):
            self.new_tab_url = request.url

    async def _close_popup(self, other: Page) -> None:
        if other != self._page:
            with suppress(BrowserError), translate_errors("closing a tab"):
                await other.close()
            if not self.new_tab_url:
                self._record("a pop-up was closed")

    async def _on_dialog(self, dialog: Dialog) -> None:
        said = " ".join(dialog.message.split())[:200]
        agrees = dialog.type in ("alert", "beforeunload") or (dialog.type == "confirm" and self.accept_dialogs)
        with suppress(BrowserError), translate_errors("a dialog"):
            await (dialog.accept() if agrees else dialog.dismiss())
        if dialog.type == "alert":
            self._record(f"the page said: {said}")
        elif dialog.type != "beforeunload":
            self._record(f"the page asked: {said} (answered with {'yes' if agrees else 'no'})")

    def _request_started(self, request: Request) -> None:
        if request.resource_type in _AWAITED and self._is_ours(request):
            self._in_flight.add(request)
        self.changed.set()

    def _request_ended(self, request: Request) -> None:
        self._in_flight.discard(request)
        self.changed.set()

    def _record(self, line: str) -> None:
        self.events.append(line)
        self.changed.set()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def redacted_url(url: str) -> str:
    """An address without what may be private in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"[:120]
