"""RequestFilter: check every request of a tab with the network guard, and block those that it refuses.

Playwright's routes see the first request of each load, also in pop-ups, but not redirects; the DevTools protocol sees
every redirect. A page that would open in a new tab is not loaded there: its address is kept, to be opened in this tab.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent.webnav.live.background import BackgroundTasks
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Page, Request, Route


class RequestFilter:
    """Filters the requests of one page. ``new_tab_url`` is an address that the page tried to open in a new tab."""

    def __init__(self, page: Page, cdp: CDPSession, guard: NetworkGuard, record: Callable[[str], None]) -> None:
        self._page = page
        self._cdp = cdp
        self._guard = guard
        self._record = record
        self._main_frame = ""
        self._tasks = BackgroundTasks()
        self.new_tab_url = ""

    async def start(self) -> None:
        """Filter from now on."""
        tree = await self._cdp.send("Page.getFrameTree")
        self._main_frame = tree["frameTree"]["frame"]["id"]
        await self._page.context.route("**/*", self._on_request)
        self._cdp.on("Fetch.requestPaused", lambda paused: self._tasks.run(self._on_redirect(paused)))
        await self._cdp.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def is_own(self, request: Request) -> bool:
        """Return whether a request is made by this page and not by a pop-up."""
        with suppress(BrowserError), translate_errors("a frame"):  # a tab that is being opened has no frame yet
            return request.frame.page == self._page
        return False

    async def _on_request(self, route: Route) -> None:
        request = route.request
        navigates = request.is_navigation_request()
        with suppress(BrowserError), translate_errors("a request"):
            if navigates and not self.is_own(request):
                await route.abort("aborted")
                await self._on_new_tab(request)
                return
            navigates = navigates and request.frame == self._page.main_frame
            if await self._is_allowed(request.url, navigates=navigates):
                await route.continue_()
            else:
                await route.abort("aborted" if navigates else "blockedbyclient")

    async def _on_redirect(self, paused: dict[str, Any]) -> None:
        """Check each hop of a redirect like a request of its own; first requests were checked by the route."""
        url, name = paused["request"]["url"], {"requestId": paused["requestId"]}
        navigates = paused["resourceType"] == "Document" and paused.get("frameId") == self._main_frame
        with suppress(BrowserError), translate_errors("a redirect"):
            if not paused.get("redirectedRequestId") or await self._is_allowed(url, navigates=navigates):
                await self._cdp.send("Fetch.continueRequest", name)
            else:
                await self._cdp.send("Fetch.failRequest", {**name, "errorReason": "Aborted"})

    async def _on_new_tab(self, request: Request) -> None:
        if request.method != "GET":
            self._record("blocked: a form that is sent to a new tab")
        elif await self._is_allowed(request.url, navigates=True):
            self.new_tab_url = request.url

    async def _is_allowed(self, url: str, *, navigates: bool) -> bool:
        refusal = await self._guard.refusal(url, navigates=navigates)
        if refusal and navigates:
            self._record(f"blocked: {without_query(url)}, for {refusal}")
        return not refusal


def without_query(url: str) -> str:
    """Return a URL without the parts that may be private: user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"[:120]
