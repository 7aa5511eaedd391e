"""BrowserTab: the page that a browser shows, and the operations on it, each with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError, BrowserError
from readagent_browse.ids import quoted
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.consent import Consent
from readagent_browse.live.gestures import Gestures, Sliding
from readagent_browse.live.loading import PageLoading, PageResponses
from readagent_browse.live.network_guard import NetworkGuard, host_of, without_query
from readagent_browse.live.page_monitor import PageMonitor, watch_permissions
from readagent_browse.live.request_gate import RequestGate
from readagent_browse.live.request_text import shortened
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.tabs import Tabs
from readagent_browse.live.trace import Screenshot, UnmaskedSecretError
from readagent_browse.live.visit import Limits
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import Browser, BrowserContext, Frame, Locator, Page

_HERE = Path(__file__).parent
_QUIET_MS = 150  # a page without changes for this long is idle
_QUIET_AFTER_TYPING_MS = 600  # suggestions appear some time after the last key
SET_AT_ONCE = frozenset("date time datetime-local month week color range".split())  # fields without a caret
_MOMENT = "() => new Promise((go) => setTimeout(go, 20))"
# Whether a field contains other letters and digits than were typed: pages that read a date with every key write what
# they take it for into the field. A field that is empty, or to which the page only added marks, is left as it is.
_IS_MANGLED = """(field, typed) => {
  const plain = (text) => text.replace(/[^\\p{L}\\p{N}]/gu, "").toLowerCase();
  const found = plain(field.value || "");
  return found !== "" && /\\d/.test(typed) && !plain(typed).startsWith(found) && !found.startsWith(plain(typed));
}"""
_IS_BOX = "element => !/^(INPUT|TEXTAREA|SELECT|LABEL)$/.test(element.tagName) && !element.isContentEditable"
_INNER_FIELDS = "input:not([type=hidden]):visible, textarea:visible, [contenteditable]:visible"
_MAX_KEYS = 400  # characters typed key by key; the text before them is set at once


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
    """A page that can be opened, read, clicked, typed into and photographed: the one of ``tabs`` that is shown.

    Elements are identified by the ids that observe.js gives them. ActionFailedError messages are shown to the model.
    ``acted`` is when the last action on a page was performed.
    """

    def __init__(self, context: BrowserContext, monitor: PageMonitor, limits: Limits, consent: Consent) -> None:
        self.monitor = monitor
        self.consent = consent
        self.limits = limits
        self.acted = 0.0
        responses = PageResponses(limits.load + limits.act, consent)
        self._in_time = responses.wait_for
        self.tabs = Tabs(context, monitor, self._element, limits, responses)
        responses.awaited_host = lambda: self.loading.awaited_host

    @property
    def loading(self) -> PageLoading:
        """Which requests of the page are in flight."""
        return self.tabs.shown.loading

    @property
    def gestures(self) -> Gestures:
        """What can be done to the page besides clicking and typing."""
        return self.tabs.shown.gestures

    @property
    def url(self) -> str:
        """The address of the page that is shown."""
        return self._page.url

    @property
    def _page(self) -> Page:
        return self.tabs.shown.page

    async def open(self, url: str) -> None:
        """Load a page and wait until it is idle."""
        try:
            with translate_errors(f"could not open {without_query(url)}"):
                going = self._page.goto(url, wait_until="commit", timeout=1000 * self.limits.load)
                answer = await self._in_time(going)
        except BrowserError as error:
            if "Download is starting" in str(error):
                raise BrowserError(
                    f"could not open {without_query(url)}: it is a file to download, not a page",
                    hint="ReadAgent.read loads files from the web",
                ) from error
            if events := self.monitor.take_events():
                unknown = events[-1].endswith("is not an allowed host")
                hint = "if you trust that host, allow it with `allow`" if unknown else ""
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
        changed = asyncio.ensure_future(self._page.evaluate(_script("wait_for_change"), int(1000 * seconds)))
        requested = asyncio.ensure_future(self.loading.changed.wait())
        try:
            with suppress(ActionFailedError), translate_errors("the page is gone", ActionFailedError):
                await self._in_time(asyncio.wait((changed, requested), return_when=asyncio.FIRST_COMPLETED))
                if changed.done():
                    changed.result()
        finally:
            changed.cancel()
            requested.cancel()

    async def pause(self, seconds: int) -> None:
        """Do nothing for this time, unless the page crashes or the browser ends."""
        for _ in range(seconds):
            await self._in_time(asyncio.sleep(1))

    async def read_page(self) -> dict[str, Any]:
        """Return the HTML, URL and title of the page, and the ids of its usable elements: see PageReader."""
        page: dict[str, Any] = await self._in_time(self.tabs.shown.reader.read())
        return page

    async def element_facts(self, element: str) -> dict[str, Any]:
        """Return the result of element_facts.js, with the host of the element, about which no page is asked."""
        with translate_errors("the element cannot be looked at", ActionFailedError):
            frame, found = await self._located(element)
            script = f"(element) => ({_script('element_facts')})(element,\n{_script('secret_field')})"
            facts = await self._in_time(found.evaluate(script))
        if not all(isinstance(value, (str, bool)) for value in facts.values()):  # a page may break its own language
            raise ActionFailedError("the element cannot be looked at: its page gives no useful answer")
        return {**facts, "host": host_of(frame.url)}

    async def click(self, element: str) -> None:
        """Click an element. The page that this opens may take longer than the click."""
        with translate_errors("it cannot be clicked", ActionFailedError):
            found = await self._element(element)
            await self.gestures.leave_menu(found)
            force = await self.gestures.is_covered(found)
            await self._in_time(found.click(timeout=1000 * self.limits.act, no_wait_after=True, force=force))

    async def note_invalid_field(self, element: str, *, enter: bool) -> None:
        """Record why the browser has not sent the form of an element, if a field is empty or wrong.

        ``enter`` says that Enter was pressed in the element, and that it was not clicked.
        """
        with suppress(ActionFailedError), translate_errors("the element is gone", ActionFailedError):
            found = await self._element(element)
            look = found.evaluate(_script("invalid_field"), enter, timeout=1000 * self.limits.act)
            if invalid := await self._in_time(look):
                message, name = (shortened(self.consent.redact(str(one)), 300) for one in invalid)
                where = f" ({quoted(name)})" if name else ""
                self.monitor.record(f"the form was not sent: {quoted(message)}{where}")

    async def type(self, element: str, text: str) -> None:
        """Replace the content of a field by this text, typed key by key; a final line end presses Enter.

        Enter is pressed a moment after the last letter, as a person does: some frameworks put changes that follow
        each other at once together, and do not empty the field.
        """
        words = text.removesuffix("\n")
        with translate_errors("it cannot be typed into", ActionFailedError):
            field = await self._field(element)
            kind = await self._in_time(field.evaluate(_script("field_kind")))
            sliding = Sliding(field, self._in_time, 1000 * self.limits.act)
            if kind == "slider":
                await sliding.slide(words)
            elif kind == "range":
                await sliding.fill(words)
            elif kind == "editor":
                await self._in_time(field.focus(timeout=1000 * self.limits.act))
                await self._in_time(self._page.keyboard.press("ControlOrMeta+a"))
                await self._in_time(self._page.keyboard.insert_text(words))
            else:
                first = words if kind in SET_AT_ONCE else words[:-_MAX_KEYS]
                await self._in_time(field.fill(first, timeout=1000 * self.limits.act))
            if kind not in ("slider", "editor", *SET_AT_ONCE):
                await self._in_time(field.press_sequentially(words[-_MAX_KEYS:], timeout=1000 * self.limits.act))
                if await self._is_mangled(field, words):
                    await self._in_time(field.fill(words, timeout=1000 * self.limits.act))
            if words != text:
                await self._in_time(self._page.evaluate(_MOMENT))
                await self._in_time(self._page.keyboard.press("Enter"))

    async def set_secret(self, element: str, text: str, host: str) -> None:
        """Set the content of a field on this host to this text; a final line end presses Enter.

        Keys would go to whatever field has the focus, and pages can move the focus while one types. A handle is of one
        document: it finds nothing in a page of another host that takes its place after the look at the host.
        """
        words = text.removesuffix("\n")
        with translate_errors("it cannot be filled in", ActionFailedError):
            frame, found = await self._located(element)
            field = await self._in_time(found.element_handle(timeout=1000 * self.limits.act))
            if host_of(frame.url) != host:
                raise ActionFailedError("its page was replaced by that of another host")
            if not await self._in_time(field.evaluate(_script("set_value"), words)):
                raise ActionFailedError("it is not a field that a secret can be put into")
            if words != text:
                await self._in_time(field.press("Enter", timeout=1000 * self.limits.act))

    async def options(self, element: str) -> list[str]:
        """Return the options of a select."""
        with translate_errors("it is not a list to choose from", ActionFailedError):
            found = await self._element(element)
            script = "list => [...list.options].map(option => option.label || option.text)"
            options = await self._in_time(found.evaluate(script))
        return [str(option) for option in options]

    async def select(self, element: str, indexes: Sequence[int]) -> None:
        """Select the options at these positions, and no other."""
        with translate_errors("it cannot be selected", ActionFailedError):
            found = await self._element(element)
            await self._in_time(found.select_option(index=indexes, timeout=1000 * self.limits.act))

    async def screenshot(self, hidden: Iterable[str], secrets: Secrets) -> bytes:
        """Return the visible part as a PNG file; secret fields, the ``hidden`` elements and secrets are masked.

        Where a secret cannot be masked for certain, no screenshot is taken, and that is recorded.
        """
        with translate_errors("could not take a screenshot"):
            masks = [await self._element(element) for element in hidden]
        try:
            return await Screenshot(self._page, secrets, self._in_time, self.limits.act).take(masks)
        except UnmaskedSecretError as error:
            self.monitor.record(str(error))
            raise

    async def evaluate(self, script: str) -> Any:
        """Return the value of a script that is run in the page."""
        with translate_errors("could not run a script in the page"):
            return await self._in_time(self._page.evaluate(script))

    async def _element(self, element: str) -> Locator:
        return (await self._located(element))[1]

    async def _located(self, element: str) -> tuple[Frame, Locator]:
        """Return an element and the frame that it is in."""
        for frame in self.tabs.shown.reader.frames_with(element):
            found = frame.locator(f'[{ID_ATTRIBUTE}="{element}"]').first
            if await self._in_time(found.count()):
                return frame, found
        raise ActionFailedError(f"the element {element} is not on the page any more")

    async def _field(self, element: str) -> Locator:
        """Return an element to type into: it, or the field in it, where a box with a role is drawn around that."""
        found = await self._element(element)
        if await self._in_time(found.evaluate(_IS_BOX)):
            inner = found.locator(_INNER_FIELDS)
            if await self._in_time(inner.count()) == 1:
                return inner
        return found

    async def _is_mangled(self, field: Locator, typed: str) -> bool:
        """Return whether the page wrote something else into a field than was typed. The field may be gone by now."""
        with suppress(ActionFailedError), translate_errors("the field is gone", ActionFailedError):
            if await self._in_time(field.count()):
                return bool(await self._in_time(field.evaluate(_IS_MANGLED, typed, timeout=1000 * self.limits.act)))
        return False

    async def _wait_for_quiet_dom(self, quiet_ms: int) -> str:
        """Wait until the page stops changing and return its state, which is empty if it was replaced meanwhile."""
        limit_ms = int(1000 * self.limits.idle)
        page = self._page
        try:
            with translate_errors("the page is gone", ActionFailedError):
                state = page.evaluate(_script("wait_until_idle"), [quiet_ms, limit_ms, limit_ms])
                return str(await self._in_time(state))
        except ActionFailedError:
            return ""
        except BrowserError:
            if await self.tabs.left(page):
                return ""
            raise


def _script(name: str) -> str:
    return (_HERE / f"{name}.js").read_text("utf-8")
