"""PageMonitor: answer the dialogs and downloads of pages, and record what they do of their own accord."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import BrowserError
from readagent.private import make_folder
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.consent import Consent, Record
from readagent_browse.live.origin import origin_text, without_query
from readagent_browse.live.request_text import one_line, shortened
from readagent_browse.material import quoted

if TYPE_CHECKING:
    from readagent_browse.live.browser import BrowserContext, Dialog, Download, Page

_WORDS = {
    "geolocation": "its place",
    "notifications": "notifications",
    "camera": "the camera and the microphone",
    "clipboard-read": "the clipboard",
}
_GRANTED = {"camera": ["camera", "microphone"]}


async def watch_permissions(context: BrowserContext, consent: Consent, record: Record) -> None:
    """Ask the user about each permission that a page of the context wants; ``record`` is told what was refused."""

    async def on_wanted(source: dict[str, Any], permission: str) -> None:
        url = source["frame"].url
        if permission == "program":
            record("blocked: the page tried to open another program")
        if permission not in _WORDS:
            return
        words = _WORDS[permission]
        if not consent.permits(f"give {origin_text(url)} the permission for {words}", url):
            record(f"a permission was refused: {words} ({consent.reason})")
            return
        with suppress(BrowserError), translate_errors("a permission"):
            await context.grant_permissions(_GRANTED.get(permission, [permission]), origin=origin_text(url))

    await context.expose_binding("readagentPermission", on_wanted)
    for name in ("permissions.js", "app_links.js"):
        await context.add_init_script(path=Path(__file__).parent / name)


class BackgroundTasks:
    """Running tasks. They are kept here because the event loop holds only weak references to them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


_MOST_EVENTS = 500  # during one action


class PageMonitor:
    """Monitors the pages of a visit. Files that the user agrees to are saved in ``downloads``, if there is one.

    ``dialogs`` counts the dialogs that the user was asked about.
    """

    def __init__(self, consent: Consent) -> None:
        self._tasks = BackgroundTasks()
        self._events: list[str] = []
        self._consent = consent
        self.downloads: Path | None = None
        self.dialogs = 0

    def watch(self, page: Page) -> None:
        """Monitor a page from now on."""
        page.on("dialog", lambda dialog: self._tasks.run(self._on_dialog(dialog, page)))
        page.on("download", lambda download: self._tasks.run(self._on_download(download)))
        page.on("filechooser", lambda chooser: self.record("the page asked for a file"))

    def record(self, event: str) -> None:
        """Record something that happened; prompts and traces mention it."""
        if len(self._events) < _MOST_EVENTS:
            self._events.append(event)

    def take_events(self) -> tuple[str, ...]:
        """Return what was recorded since the last call, each event once."""
        events, self._events = tuple(dict.fromkeys(self._events)), []
        return events

    async def _on_dialog(self, dialog: Dialog, page: Page) -> None:
        message = shortened(self._consent.redact(dialog.message), 300)
        accept = dialog.type in ("alert", "beforeunload")
        if dialog.type == "confirm":
            self.dialogs += 1
            accept = self._consent.permits(f"answer yes to a dialog of {origin_text(page.url)}: {message}", page.url)
        with suppress(BrowserError), translate_errors("a dialog"):
            await (dialog.accept() if accept else dialog.dismiss())
        if dialog.type == "alert":
            self.record(f"the page said: {quoted(message)}")
        elif dialog.type != "beforeunload":
            self.record(f"the page asked: {quoted(message)} (answered with {'yes' if accept else 'no'})")

    async def _on_download(self, download: Download) -> None:
        name = Path(download.suggested_filename).name or "download"
        place = without_query(download.url)
        agreed = self.downloads is not None and self._consent.permits(
            f"save {quoted(one_line(name))} from {place}", download.url
        )
        with suppress(BrowserError), translate_errors("a download"):
            if self.downloads is None or not agreed:
                await download.cancel()
                self.record(f"a download was refused: {quoted(name)}")
            else:
                make_folder(self.downloads)
                path = _free_path(self.downloads, name)
                await download.save_as(path)
                path.chmod(0o600)
                self.record(f"a file was saved: {quoted(name)}")


def _free_path(folder: Path, name: str) -> Path:
    """Return a path in the folder at which there is no file yet: ``name``, or ``2-name`` and so on."""
    return next(path for n in range(1, 10_000) if not (path := folder / (name if n == 1 else f"{n}-{name}")).exists())
