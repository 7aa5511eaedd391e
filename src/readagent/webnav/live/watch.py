"""Watch: every request of a tab passes the gate, and what the page does beside being read is told.

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
from readagent.webnav.live.browser import translated
from readagent.webnav.live.gate import Gate

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Dialog, Page, Request, Route

_AWAITED = frozenset({"document", "xhr", "fetch"})  # what a page is not complete without


class Watch:
    """Sees to one page. ``told`` is what happened; ``wanted`` an address that wanted a new tab.

    ``agreeing`` is whether questions of the page (its confirm dialogs) are answered with yes.
    """

    def __init__(self, page: Page, line: CDPSession, gate: Gate) -> None:
        self._page = page
        self._line = line
        self._gate = gate
        self._frame = ""
        self._busy: set[Request] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed = asyncio.Event()
        self.told: list[str] = []
        self.wanted = ""
        self.agreeing = False

    async def begin(self) -> None:
        """Watch from now on."""
        page, context = self._page, self._page.context
        tree = await self._line.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        await context.route("**/*", self._first)
        self._line.on("Fetch.requestPaused", lambda paused: self._spawn(self._redirected(paused)))
        await self._line.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("dialog", lambda dialog: self._spawn(self._answered(dialog)))
        page.on("download", lambda download: self._tell(f"a download was refused: {download.suggested_filename}"))
        page.on("filechooser", lambda chooser: self._tell("the page asked for a file, and got none"))
        context.on("page", lambda other: self._spawn(self._closed(other)))

    @property
    def busy(self) -> bool:
        """Whether something the page is not complete without is still under way."""
        return bool(self._busy)

    @property
    def moving(self) -> bool:
        """Whether another page is on its way."""
        return any(request.resource_type == "document" for request in self._busy)

    def taken(self) -> tuple[str, ...]:
        """What was told since this was last asked."""
        told, self.told = tuple(dict.fromkeys(self.told)), []
        return told

    async def _first(self, route: Route) -> None:
        request = route.request
        moves = request.is_navigation_request()
        with suppress(BrowserError), translated("a request"):
            if moves and not self._is_ours(request):
                await route.abort("aborted")
                await self._wanted(request)
                return
            moves = moves and request.frame == self._page.main_frame
            if await self._may(request.url, moves=moves):
                await route.continue_()
            else:
                await route.abort("aborted" if moves else "blockedbyclient")

    async def _redirected(self, paused: dict[str, Any]) -> None:
        """Each step of a redirect is looked at like a request of its own; first requests were looked at already."""
        url, name = paused["request"]["url"], {"requestId": paused["requestId"]}
        moves = paused["resourceType"] == "Document" and paused.get("frameId") == self._frame
        with suppress(BrowserError), translated("a redirect"):
            if not paused.get("redirectedRequestId") or await self._may(url, moves=moves):
                await self._line.send("Fetch.continueRequest", name)
            else:
                await self._line.send("Fetch.failRequest", {**name, "errorReason": "Aborted"})

    async def _may(self, url: str, *, moves: bool) -> bool:
        refusal = await self._gate.refusal(url, moves=moves)
        if refusal and moves:
            self._tell(f"blocked: {shown(url)}, for {refusal}")
        return not refusal

    def _is_ours(self, request: Request) -> bool:
        with suppress(BrowserError), translated("a frame"):  # a tab that is about to be has no frame yet
            return request.frame.page == self._page
        return False

    async def _wanted(self, request: Request) -> None:
        if request.method != "GET":
            self._tell("blocked: a form that is sent to a new tab")
        elif await self._may(request.url, moves=True):
            self.wanted = request.url

    async def _closed(self, other: Page) -> None:
        if other != self._page:
            with suppress(BrowserError), translated("closing a tab"):
                await other.close()
            if not self.wanted:
                self._tell("a pop-up was closed")

    async def _answered(self, dialog: Dialog) -> None:
        said = " ".join(dialog.message.split())[:200]
        agrees = dialog.type in ("alert", "beforeunload") or (dialog.type == "confirm" and self.agreeing)
        with suppress(BrowserError), translated("a dialog"):
            await (dialog.accept() if agrees else dialog.dismiss())
        if dialog.type == "alert":
            self._tell(f"the page said: {said}")
        elif dialog.type != "beforeunload":
            self._tell(f"the page asked: {said} (answered with {'yes' if agrees else 'no'})")

    def _begun(self, request: Request) -> None:
        if request.resource_type in _AWAITED and self._is_ours(request):
            self._busy.add(request)
        self.changed.set()

    def _ended(self, request: Request) -> None:
        self._busy.discard(request)
        self.changed.set()

    def _tell(self, line: str) -> None:
        self.told.append(line)
        self.changed.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def shown(url: str) -> str:
    """An address without what may be private in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"[:120]
