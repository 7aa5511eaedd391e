"""PageMonitor: answer the dialogs of a page, and record what it does of its own accord."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from readagent.errors import BrowserError
from readagent.webnav.live.background import BackgroundTasks
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.network_guard import NetworkGuard
from readagent.webnav.live.request_filter import RequestFilter

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Dialog, Page


class PageMonitor:
    """Monitors one page. ``accept_dialogs`` is whether confirm dialogs are answered with yes."""

    def __init__(self, page: Page, cdp: CDPSession, guard: NetworkGuard) -> None:
        self._page = page
        self._tasks = BackgroundTasks()
        self._events: list[str] = []
        self.accept_dialogs = False
        self.requests = RequestFilter(page, cdp, guard, self.record)

    async def start(self) -> None:
        """Monitor from now on."""
        await self.requests.start()
        page = self._page
        page.on("dialog", lambda dialog: self._tasks.run(self._on_dialog(dialog)))
        page.on("download", lambda download: self.record(f"a download was refused: {download.suggested_filename}"))
        page.on("filechooser", lambda chooser: self.record("the page asked for a file"))
        page.context.on("page", lambda other: self._tasks.run(self._close_popup(other)))

    def record(self, event: str) -> None:
        """Record something that happened; prompts and traces mention it."""
        self._events.append(event)

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
