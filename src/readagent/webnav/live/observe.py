"""Observe: the live page as a Snapshot, in which secrets are hidden and whatever can be acted on has an id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from readagent.errors import BrowserError
from readagent.webnav.dom import Snapshot
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.tab import Tab
from readagent.webnav.snapshot import ID_ATTRIBUTE, snapshot_of

_TRIES = 3  # a page may be replaced while it is looked at


@dataclass(frozen=True, slots=True)
class Observation:
    """A page at one moment. ``secret`` are the ids of elements that show a secret."""

    url: str
    title: str
    snapshot: Snapshot
    secret: tuple[str, ...]


async def observe(tab: Tab, secrets: Secrets) -> Observation:
    """Look at the page that the tab shows."""
    seen = await _looked(tab)
    html = secrets.hidden(seen["html"])
    snapshot = snapshot_of(html, ID_ATTRIBUTE, frozenset(seen["ids"]))
    secret = (one.id for one in snapshot.elements if any(map(secrets.stands_in, (one.label, *one.attributes.values()))))
    return Observation(secrets.hidden(seen["url"]), secrets.hidden(seen["title"]), snapshot, tuple(secret))


async def _looked(tab: Tab) -> dict[str, Any]:
    for left in reversed(range(_TRIES)):
        try:
            return await tab.looked()
        except BrowserError:
            if not left:
                raise
            await tab.settle()
    raise AssertionError
