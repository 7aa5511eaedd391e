"""Observe: the live page as a Snapshot, in which secrets are hidden and whatever can be acted on has an id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from readagent.errors import BrowserError
from readagent.webnav.dom import Snapshot
from readagent.webnav.live.browser_tab import BrowserTab
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.snapshot import snapshot_of
from readagent.webnav.snapshot_builder import ID_ATTRIBUTE

_TRIES = 3  # a page may be replaced while it is looked at


@dataclass(frozen=True, slots=True)
class Observation:
    """A page at one moment. ``secret`` are the ids of elements that show a secret."""

    url: str
    title: str
    snapshot: Snapshot
    secret_ids: tuple[str, ...]


async def observe(tab: BrowserTab, secrets: Secrets) -> Observation:
    """Look at the page that the tab shows."""
    seen = await _read_page(tab)
    html = secrets.redact(seen["html"])
    snapshot = snapshot_of(html, ID_ATTRIBUTE, frozenset(seen["ids"]))
    secret = (
        one.id for one in snapshot.elements if any(map(secrets.has_placeholder, (one.label, *one.attributes.values())))
    )
    return Observation(secrets.redact(seen["url"]), secrets.redact(seen["title"]), snapshot, tuple(secret))


async def _read_page(tab: BrowserTab) -> dict[str, Any]:
    for left in reversed(range(_TRIES)):
        try:
            return await tab.read_page()
        except BrowserError:
            if not left:
                raise
            await tab.wait_until_idle()
    raise AssertionError
