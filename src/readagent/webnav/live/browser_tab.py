"""BrowserTab: one page in a browser, with the few things that are done to it, each within its time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError, BrowserError
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard
from readagent.webnav.live.page_monitor import PageMonitor, redacted_url
from readagent.webnav.live.visit import Limits
from readagent.webnav.snapshot_builder import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent.webnav.live.browser import Browser, CDPSession, Locator, Page

_HERE = Path(__file__).parent
_SECRET = '[type=password], [autocomplete*="cc-"], [autocomplete*="one-time-code"], [autocomplete*="password"]'
_MASK = "#607080"
_QUIET_MS = 150  # a page that has not changed for so long has settled
_TYPED_MS = 600  # suggestions come a little after the last key
_SET_AT_ONCE = frozenset("date time datetime-local month week color range".split())  # fields without a caret
_LONGEST_BY_KEY = 400  # characters; what comes before is put in at once


@asynccontextmanager
async def open_tab(browser: Browser, guard: NetworkGuard, limits: Limits) -> AsyncIterator[BrowserTab]:
    """A tab with a profile of its own, which the guard watches from its first request on."""
    with translate_errors("a tab cannot be opened"):
        context = await browser.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=False, service_workers="block"
        )
        page = await context.new_page()
        cdp = await context.new_cdp_session(page)
        monitor = PageMonitor(page, cdp, guard)
        await monitor.start()
    try:
        yield BrowserTab(page, cdp, monitor, limits)
    finally:
        with suppress(BrowserError), translate_errors("closing the tab"):
            await context.close()


class BrowserTab:
    """A page that can be opened, looked at, clicked, typed into and photographed. Elements are named by our ids."""

    def __init__(self, page: Page, cdp: CDPSession, monitor: PageMonitor, limits: Limits) -> None:
        self._page = page
        self._cdp = cdp
        self.monitor = monitor
        self._limits = limits

    async def open(self, url: str) -> None:
        """Go to an address and wait until its page has settled."""
        try:
            with translate_errors(f"{redacted_url(url)} cannot be opened"):
                answer = await self._page.goto(url, wait_until="domcontentloaded", timeout=1000 * self._limits.load)
        except BrowserError as error:
            if told := self.monitor.take_events():
                hint = "allow that host with --allow, if you trust it"
                raise BrowserError(f"{redacted_url(url)} cannot be opened: {told[-1]}", hint=hint) from error
            raise
        if answer is not None and answer.status >= 400:
            self.monitor.events.append(f"the server answered with {answer.status} {answer.status_text}".strip())
        await self.wait_until_idle()

    async def wait_until_idle(self, *, typed: bool = False) -> None:
        """Wait until the page has what it asked for and changes no more, or the time for that is over.

        After something was ``typed``, it is given time for suggestions.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            self.monitor.changed.clear()
            quiet = await self._wait_for_quiet_dom(_TYPED_MS if typed else _QUIET_MS)
            if self.monitor.new_tab_url:
                await self._open_new_tab_here()
                began = loop.time()
                continue
            left = began + (self._limits.load if self.monitor.is_navigating else self._limits.idle) - loop.time()
            if left <= 0 or (quiet and not self.monitor.is_loading):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.monitor.changed.wait(), min(left, 0.5))

    async def read_page(self) -> dict[str, Any]:
        """What observe.js finds."""
        script = f"({_script('observe')})({ID_ATTRIBUTE!r})"
        sent = {"expression": script, "includeCommandLineAPI": True, "returnByValue": True}
        with translate_errors("the page cannot be looked at"):
            came = await self._with_timeout(self._cdp.send("Runtime.evaluate", sent))
        if "exceptionDetails" in came:
            raise BrowserError(f"the page cannot be looked at: {came['result'].get('description', '')[:200]}")
        seen: dict[str, Any] = came["result"]["value"]
        return seen

    async def element_facts(self, element: str) -> dict[str, Any]:
        """What facts.js finds out about an element."""
        with translate_errors("the element cannot be looked at", ActionFailedError):
            found: dict[str, Any] = await self._with_timeout(
                (await self._element(element)).evaluate(_script("element_facts"))
            )
        return found

    async def click(self, element: str) -> None:
        with translate_errors("it cannot be clicked", ActionFailedError):
            await (await self._element(element)).click(timeout=1000 * self._limits.act)

    async def type(self, element: str, text: str) -> None:
        """Replace what stands in a field by this text, key by key; a line end presses Enter."""
        with translate_errors("it cannot be typed into", ActionFailedError):
            field = await self._element(element)
            kind = await self._with_timeout(field.evaluate("field => field.type || ''"))
            await field.fill(text if kind in _SET_AT_ONCE else "", timeout=1000 * self._limits.act)
            if kind not in _SET_AT_ONCE:
                if len(text) > _LONGEST_BY_KEY:
                    await field.fill(text[:-_LONGEST_BY_KEY], timeout=1000 * self._limits.act)
                await field.press_sequentially(text[-_LONGEST_BY_KEY:], timeout=1000 * self._limits.act)

    async def options(self, element: str) -> list[str]:
        """The options of a select."""
        with translate_errors("it is not a list to choose from", ActionFailedError):
            chosen = await self._element(element)
            found = await self._with_timeout(
                chosen.evaluate("list => [...list.options].map(one => one.label || one.text)")
            )
        return [str(one) for one in found]

    async def select(self, element: str, index: int) -> None:
        with translate_errors("it cannot be selected", ActionFailedError):
            await (await self._element(element)).select_option(index=index, timeout=1000 * self._limits.act)

    async def screenshot(self, file: Path, hidden: Iterable[str], texts: Sequence[str]) -> None:
        """A picture of what is in view; secret fields, these elements, and what shows these texts, are painted over."""
        with translate_errors("no picture can be taken"):
            masks = [await self._element(one) for one in hidden]
            for frame in self._page.frames:
                masks += [frame.locator(_SECRET), *(frame.get_by_text(text) for text in texts)]
            await self._page.screenshot(path=file, mask=masks, mask_color=_MASK, timeout=1000 * self._limits.act)

    async def evaluate(self, script: str) -> Any:
        """What a script comes to in the page."""
        with translate_errors("the page cannot be asked"):
            return await self._with_timeout(self._page.evaluate(script))

    async def _element(self, element: str) -> Locator:
        for frame in self._page.frames:
            found = frame.locator(f'[{ID_ATTRIBUTE}="{element}"]').first
            if await self._with_timeout(found.count()):
                return found
        raise ActionFailedError(f"the element {element} is not on the page any more")

    async def _wait_for_quiet_dom(self, quiet: int) -> bool:
        """Wait for the page to change no more; False where it was replaced meanwhile."""
        most = int(1000 * self._limits.idle)
        try:
            with translate_errors("the page is gone", ActionFailedError):
                await self._with_timeout(self._page.evaluate(_script("wait_until_idle"), [quiet, most]))
        except ActionFailedError:
            return False
        return True

    async def _open_new_tab_here(self) -> None:
        url, self.monitor.new_tab_url = self.monitor.new_tab_url, ""
        self.monitor.events.append("a new tab was opened; it is shown in this one")
        with translate_errors(f"{redacted_url(url)} cannot be opened", ActionFailedError):
            await self._page.goto(url, wait_until="domcontentloaded", timeout=1000 * self._limits.load)

    async def _with_timeout(self, work: Any) -> Any:
        """The result of some work in the page, which may be too busy to ever answer."""
        try:
            return await asyncio.wait_for(work, self._limits.load)
        except TimeoutError:
            raise BrowserError("the page does not answer", hint="it may be stuck in a script of its own") from None


def _script(name: str) -> str:
    return (_HERE / f"{name}.js").read_text("utf-8")
