"""Tabs: the open pages of a visit, of which one is shown. Pages that links and scripts open become tabs."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError, BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.loading import PageLoading, PageResponses
from readagent_browse.live.page_monitor import BackgroundTasks, PageMonitor
from readagent_browse.live.visit import Limits
from readagent_browse.live.world import World

if TYPE_CHECKING:
    from readagent_browse.live.browser import BrowserContext, CDPSession, Page

_MOST = 8  # tabs; more are closed as they open
_BLANK = ("", ":", "about:blank")


class OpenPage:
    """A page with what reads it. ``before`` is the page that was shown when this one was opened."""

    def __init__(
        self, context: BrowserContext, page: Page, cdp: CDPSession, limits: Limits, before: OpenPage | None
    ) -> None:
        self.page = page
        self.cdp = cdp
        self.before = before
        self.loading = PageLoading(page, limits.idle)
        self.world = World(context, page, cdp, limits.act)


class Tabs:
    """The pages of one context. A new one is shown at once; when it is closed, the one shown before is shown again.

    As in other browsers, a page opens new ones only after an action on it: Chromium blocks pop-ups of its own accord.
    ``responses`` is told when the page that is shown crashed, or the browser ended.
    """

    def __init__(self, context: BrowserContext, monitor: PageMonitor, limits: Limits, responses: PageResponses) -> None:
        self._context = context
        self._responses = responses
        self._monitor = monitor
        self._limits = limits
        self._tasks = BackgroundTasks()
        self._adding = asyncio.Lock()
        self._open: list[OpenPage] = []
        self._empty: list[OpenPage] = []  # tabs into which nothing was loaded so far; they are not shown
        self._shown: OpenPage | None = None
        self._expected = 0  # pages that were asked for and have not answered yet

    async def start(self) -> None:
        """Open the first tab."""
        self._context.on("close", lambda _: self._responses.lose())
        await self._add(await self._context.new_page())
        self._context.on("page", lambda page: self._tasks.run(self._on_new(page)))

    @property
    def shown(self) -> OpenPage:
        """The page that is shown."""
        if self._shown is None:
            self._responses.check()
            raise BrowserError("all tabs were closed", hint="run the command again")
        return self._shown

    @property
    def number(self) -> int:
        """The number of the tab that is shown, counted from 1."""
        return self._open.index(self.shown) + 1

    @property
    def is_opening(self) -> bool:
        """Whether a tab is about to be opened."""
        return self._expected > 0

    async def titles(self) -> tuple[str, ...]:
        """Return the titles of the tabs in order, or their addresses where they have none."""
        return tuple([await self._title(one.page) for one in self._open])

    async def show(self, number: int) -> None:
        """Show the tab with this number."""
        if not 1 <= number <= len(self._open):
            raise ActionFailedError(f"there is no tab {number}")
        self._shown = self._open[number - 1]
        with translate_errors("the tab cannot be shown", ActionFailedError):
            await self._responses.wait_for(self._shown.page.bring_to_front())

    async def close_shown(self) -> None:
        """Close the tab that is shown."""
        if len(self._open) == 1:
            raise ActionFailedError("it is the only tab")
        await self._close(self.shown)

    @property
    def is_loading(self) -> bool:
        """Whether something is loaded into a tab that is not shown because it is empty."""
        return any(one.loading.is_loading for one in self._empty)

    async def show_another(self) -> bool:
        """Show the tab before one that is empty, or one that no longer is; return whether another is shown now."""
        for tab in self._empty:
            if not await self._is_empty(tab):
                self._empty.remove(tab)
                self._open.append(tab)
                self._shown = tab
                self._monitor.record("a new tab was opened, and is shown now")
                return True
        tab = self.shown
        if len(self._open) == 1 or not await self._is_empty(tab):
            return False
        self._forget(tab)
        if tab.page.url in _BLANK:
            self._empty.append(tab)
            self._monitor.record("a new tab is empty; it is shown when something is in it")
        else:  # its address is blocked
            await self._close(tab)
            self._monitor.record("a new tab stayed empty and was closed")
        return True

    async def _is_empty(self, tab: OpenPage) -> bool:
        if not _is_blank(tab.page):
            return False
        with suppress(BrowserError, TimeoutError), translate_errors("a tab"):
            return bool(await asyncio.wait_for(tab.world.run("isEmpty"), self._limits.act))
        return True

    async def left(self, page: Page) -> bool:
        """Return whether a page was closed and another is shown. The browser may say so a moment later."""
        if len(self._open) > 1 and not page.is_closed():
            with suppress(BrowserError), translate_errors("a tab"):
                await page.wait_for_event("close", timeout=1000 * self._limits.act)
        return self._shown is not None and self._shown.page is not page

    def expect_one_less(self) -> None:
        """Stop waiting for a tab: it is there, or its page was refused, so that it never will be."""
        self._expected = max(0, self._expected - 1)

    async def _on_new(self, page: Page) -> None:
        try:
            async with self._adding:
                with suppress(BrowserError), translate_errors("a tab"):
                    await self._add_or_close(page)
        finally:
            self.expect_one_less()

    async def _add_or_close(self, page: Page) -> None:
        if len(self._open) + len(self._empty) >= _MOST:
            await page.close()
            self._monitor.record(f"a new tab was closed: there are {_MOST} already")
            return
        await self._add(page)
        if not _is_blank(page):
            self._monitor.record("a new tab was opened, and is shown now")

    async def _add(self, page: Page) -> None:
        cdp = await self._context.new_cdp_session(page)
        cdp.on("Page.windowOpen", self._on_expected)
        await cdp.send("Page.enable")
        await cdp.send("WebAuthn.enable")  # passkeys are looked for in no device, and no window asks for one
        self._monitor.watch(page)
        self._shown = OpenPage(self._context, page, cdp, self._limits, self._shown)
        self._open.append(self._shown)
        page.on("close", self._on_close)
        page.on("crash", self._on_crash)

    def _on_expected(self, event: dict[str, Any]) -> None:
        if event["userGesture"]:
            self._expected += 1
        else:
            self._monitor.record("a pop-up that the page opened by itself was blocked")

    def _on_close(self, page: Page) -> None:
        self._empty = [one for one in self._empty if one.page != page]
        if closed := next((one for one in self._open if one.page == page), None):
            self._forget(closed)
            self._monitor.record("a tab was closed by its page")

    def _on_crash(self, page: Page) -> None:
        if self._shown is None or self._shown.page == page:
            self._responses.lose()
        elif crashed := next((one for one in self._open if one.page == page), None):
            self._tasks.run(self._close(crashed))
            self._monitor.record("another tab crashed and was closed")

    async def _close(self, tab: OpenPage) -> None:
        if tab in self._open:
            self._forget(tab)
        with suppress(BrowserError), translate_errors("closing a tab"):
            await tab.page.close()

    def _forget(self, tab: OpenPage) -> None:
        left = max(0, self._open.index(tab) - 1)
        self._open.remove(tab)
        if tab is self._shown and tab.before in self._open:
            self._shown = tab.before
        elif tab is self._shown:
            self._shown = self._open[left] if self._open else None

    async def _title(self, page: Page) -> str:
        with suppress(BrowserError, TimeoutError), translate_errors("a tab"):
            if title := await asyncio.wait_for(page.title(), self._limits.act):
                return title
        return page.url


def _is_blank(page: Page) -> bool:
    """Return whether a page has no address; that of an address which no page may open is about:blank#blocked."""
    return page.url.partition("#")[0] in _BLANK
