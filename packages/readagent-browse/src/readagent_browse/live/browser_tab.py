"""BrowserTab: the page that a browser shows: opening it, waiting for it, reading it and taking its picture."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError, BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.consent import Consent
from readagent_browse.live.loading import PageLoading, PageResponses
from readagent_browse.live.network_guard import NetworkGuard
from readagent_browse.live.origin import without_query
from readagent_browse.live.page_monitor import PageMonitor, watch_permissions
from readagent_browse.live.request_gate import RequestGate
from readagent_browse.live.request_text import shortened
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.tabs import Tabs
from readagent_browse.live.visit import Limits
from readagent_browse.material import quoted
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import Browser, BrowserContext, Locator, Page

_QUIET_MS = 150  # a page without changes for this long is idle
_QUIET_AFTER_TYPING_MS = 600  # suggestions appear some time after the last key
_SECRET_FIELDS = (
    '[type=password], [maxlength="1"], [autocomplete*="cc-"], [autocomplete*="one-time-code"],'
    ' [autocomplete*="current-password"], [autocomplete*="new-password"]:not([role=combobox], [type=search])'
)
_MASK = "#607080"


@asynccontextmanager
async def open_tab(
    browser: Browser, guard: NetworkGuard, limits: Limits, consent: Consent | None = None
) -> AsyncIterator[BrowserTab]:
    """Open a tab, whose requests are checked by guard and consent from the first one on.

    Without ``consent``, nothing is sent. A browser has one open tab at a time.
    """
    consent = consent or Consent()
    with translate_errors("could not open a tab"):
        context = await browser.new_context()
        monitor = PageMonitor(consent)
        gate = RequestGate(await browser.new_cdp_session(), guard, consent, monitor.record)
        await gate.start()
        await watch_permissions(context, consent, monitor.record)
        tab = BrowserTab(context, monitor, limits, consent)
        await tab.tabs.start()
        gate.on_document_refused = tab.tabs.expect_one_less
    browser.proxy.gatekeeper = gate
    try:
        yield tab
    finally:
        await browser.proxy.shut()  # before the gate lets go of the requests that it holds
        await gate.stop()
        with suppress(BrowserError), translate_errors("closing the tab"):
            await context.close()


class BrowserTab:
    """A page that can be opened, read and photographed: the one of ``tabs`` that is shown. Gestures act on it.

    Elements are identified by the ids that reading it gives them. ActionFailedError messages are shown to the model.
    ``acted`` is when the last action on a page was performed, ``has_hovered`` whether the mouse was moved to one.
    """

    def __init__(self, context: BrowserContext, monitor: PageMonitor, limits: Limits, consent: Consent) -> None:
        self.monitor = monitor
        self.consent = consent
        self.limits = limits
        self.acted = 0.0
        responses = PageResponses(limits.load + limits.act, consent)
        self.in_time = responses.wait_for
        self.tabs = Tabs(context, monitor, limits, responses)
        self.has_hovered = False
        responses.awaited_host = lambda: self.loading.awaited_host

    @property
    def loading(self) -> PageLoading:
        """Which requests of the page are in flight."""
        return self.tabs.shown.loading

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self.tabs.shown.page

    @property
    def url(self) -> str:
        """The address of the page that is shown."""
        return self.page.url

    async def open(self, url: str) -> None:
        """Load a page and wait until it is idle."""
        try:
            with translate_errors(f"could not open {without_query(url)}"):
                going = self.page.goto(url, wait_until="commit", timeout=1000 * self.limits.load)
                answer = await self.in_time(going)
        except BrowserError as error:
            if "Download is starting" in str(error):
                raise BrowserError(
                    f"could not open {without_query(url)}: it is a file to download, not a page",
                    hint="ReadAgent.read loads files from the web",
                ) from error
            if events := self.monitor.take_events():
                hint = "if you trust that host, allow it with `allow`" if "is not an allowed host" in events[-1] else ""
                raise BrowserError(f"could not open {without_query(url)}: {events[-1]}", hint=hint) from error
            raise
        if answer is not None and answer.status >= 400:
            said = f" {quoted(answer.status_text)}" if answer.status_text else ""
            self.monitor.record(f"the server answered with {answer.status}{said}")
        await self.wait_until_idle()

    async def wait_until_idle(self, *, typed: bool = False) -> None:
        """Wait until the page is loaded, nothing it needs is in flight and it stops changing, or for the time limit.

        ``typed`` waits longer, for suggestions that appear after typing.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            shown, loading = self.tabs.shown, self.loading
            loading.changed.clear()
            state = await self._wait_for_quiet_dom(_QUIET_AFTER_TYPING_MS if typed else _QUIET_MS)
            if self.tabs.shown is not shown:
                began = loop.time()
                continue
            settled = state == "complete" or (state == "written" and not loading.is_waiting)
            if settled and not (loading.is_loading or self.tabs.is_opening or self.tabs.is_loading):
                if await self.tabs.show_another():
                    continue
                return
            left = began + self.limits.load - loop.time()
            if left <= 0:
                self.monitor.record(f"the page was still loading after {self.limits.load:g} seconds")
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(loading.changed.wait(), min(left, 0.25))

    async def wait_for_change(self, seconds: float) -> None:
        """Wait until the page changes, is replaced or sends or receives something, at most for this time."""
        self.loading.changed.clear()
        changed = asyncio.ensure_future(self.tabs.shown.world.run("changed", int(1000 * seconds)))
        requested = asyncio.ensure_future(self.loading.changed.wait())
        try:
            with suppress(ActionFailedError), translate_errors("the page is gone", ActionFailedError):
                await self.in_time(asyncio.wait((changed, requested), return_when=asyncio.FIRST_COMPLETED))
                if changed.done():
                    changed.result()
        finally:
            changed.cancel()
            requested.cancel()

    async def pause(self, seconds: int) -> None:
        """Do nothing for this time, unless the page crashes or the browser ends."""
        for _ in range(seconds):
            await self.in_time(asyncio.sleep(1))

    async def read_page(self) -> dict[str, Any]:
        """Return the HTML, URL and title of the page, and the ids of its usable elements: see World."""
        page: dict[str, Any] = await self.in_time(self.tabs.shown.world.read())
        return page

    async def ask(self, element: str, name: str, *given: Any) -> Any:
        """Return the result of a function of world.js for an element."""
        return await self.in_time(self.tabs.shown.world.on(element, name, *given))

    async def element_facts(self, element: str) -> dict[str, Any]:
        """Return what is asked about an element before an action on it."""
        with translate_errors("the element cannot be looked at", ActionFailedError):
            facts: dict[str, Any] = await self.ask(element, "facts")
        return facts

    async def note_invalid_field(self, element: str, *, enter: bool) -> None:
        """Record why the browser has not sent the form of an element, if a field is empty or wrong.

        ``enter`` says that Enter was pressed in the element, and that it was not clicked.
        """
        with suppress(ActionFailedError), translate_errors("the element is gone", ActionFailedError):
            if invalid := await self.ask(element, "invalidField", enter):
                message, name = (shortened(self.consent.redact(str(one)), 300) for one in invalid)
                where = f" ({quoted(name)})" if name else ""
                self.monitor.record(f"the form was not sent: {quoted(message)}{where}")

    async def screenshot(self, secrets: Secrets) -> bytes:
        """Return the visible part as a PNG file, without secret fields and what shows a secret."""
        world, frames = self.tabs.shown.world, self.page.frames
        pattern = secrets.pattern
        with translate_errors("could not take a screenshot"):
            masks = [frame.locator(_SECRET_FIELDS) for frame in frames]
            try:
                for frame in world.frames if pattern else ():
                    await self.in_time(world.run("hide", pattern, frame=frame))
                taking = self.page.screenshot(mask=masks, mask_color=_MASK, timeout=1000 * self.limits.act)
                picture: bytes = await self.in_time(taking)
            finally:
                for frame in world.frames if pattern else ():
                    with suppress(BrowserError), translate_errors("a frame is gone"):
                        await self.in_time(world.run("show", frame=frame))
        return picture

    async def evaluate(self, script: str) -> Any:
        """Return the value of a script that is run in the page's own world."""
        with translate_errors("could not run a script in the page"):
            return await self.in_time(self.page.evaluate(script))

    async def locator(self, element: str) -> Locator:
        """Return what acts on an element."""
        for frame in self.tabs.shown.world.frames_with(element):
            found = frame.locator(f'[{ID_ATTRIBUTE}="{element}"]').first
            if await self.in_time(found.count()):
                return found
        raise ActionFailedError(f"the element {element} is not on the page any more")

    async def _wait_for_quiet_dom(self, quiet_ms: int) -> str:
        """Wait until the page stops changing and return its state, which is empty if it was replaced meanwhile."""
        limit_ms = int(1000 * self.limits.idle)
        page = self.page
        try:
            with translate_errors("the page is gone", ActionFailedError):
                return str(await self.in_time(self.tabs.shown.world.run("idle", quiet_ms, limit_ms, limit_ms)))
        except ActionFailedError:
            return ""
        except BrowserError:
            if await self.tabs.left(page):
                return ""
            raise
