"""RequestFilter: a page that would open in a new tab is not loaded there; its address is kept for this tab."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard

if TYPE_CHECKING:
    from readagent.webnav.live.browser import Page, Request, Route


class RequestFilter:
    """Filters the requests of one page. ``new_tab_url`` is an address that the page tried to open in a new tab."""

    def __init__(self, page: Page, guard: NetworkGuard, record: Callable[[str], None]) -> None:
        self._page = page
        self._guard = guard
        self._record = record
        self.new_tab_url = ""

    async def start(self) -> None:
        """Filter from now on."""
        await self._page.context.route("**/*", self._on_request)

    def is_own(self, request: Request) -> bool:
        """Return whether a request is made by this page and not by a pop-up."""
        with suppress(BrowserError), translate_errors("a frame"):  # a tab that is being opened has no frame yet
            return request.frame.page == self._page
        return False

    async def _on_request(self, route: Route) -> None:
        request = route.request
        with suppress(BrowserError), translate_errors("a request"):
            if request.is_navigation_request() and not self.is_own(request):
                await route.abort("aborted")
                await self._on_new_tab(request)
            else:
                await route.continue_()

    async def _on_new_tab(self, request: Request) -> None:
        if request.method != "GET":
            self._record("blocked: a form that is sent to a new tab")
        elif refusal := await self._guard.refusal(request.url, navigates=True):
            self._record(f"blocked: {without_query(request.url)}, for {refusal}")
        else:
            self.new_tab_url = request.url


def without_query(url: str) -> str:
    """Return a URL without the parts that may be private: user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"[:120]
