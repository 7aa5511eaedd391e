"""Permissions that a page asks for (place, notifications, camera, clipboard): the user decides about each.

No page may open another program.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from readagent.errors import BrowserError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.consent import Consent, Record

if TYPE_CHECKING:
    from readagent_browse.live.browser import BrowserContext

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
        address = urlsplit(source["frame"].url)
        if permission == "program":
            record("blocked: the page tried to open another program")
        if permission not in _WORDS:
            return
        words = _WORDS[permission]
        if not consent.permits(f"give {address.netloc} the permission for {words}", address.geturl()):
            record(f"a permission was refused: {words} ({consent.reason})")
            return
        with suppress(BrowserError), translate_errors("a permission"):
            origin = f"{address.scheme}://{address.netloc}"
            await context.grant_permissions(_GRANTED.get(permission, [permission]), origin=origin)

    await context.expose_binding("readagentPermission", on_wanted)
    for name in ("permissions.js", "app_links.js"):
        await context.add_init_script(path=Path(__file__).parent / name)
