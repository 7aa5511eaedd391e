"""Observe: take a Snapshot of the live page, without secrets and with an id for every usable element."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from readagent.core.words import count_words
from readagent.errors import BrowserError
from readagent_browse.dom import Snapshot
from readagent_browse.live.browser_tab import BrowserTab
from readagent_browse.live.secrets import Secrets
from readagent_browse.render import render
from readagent_browse.snapshot import ID_ATTRIBUTE, snapshot_of

_ATTEMPTS = 3  # the page may be replaced while it is being read
_CONTENT_WORDS = 8  # a page with fewer words and nothing to act on may still be loading
_REACTION = 1.0  # seconds after an action in which a page that shows no change may still react


@dataclass(frozen=True, slots=True)
class Observation:
    """A page at one moment. ``tabs`` are the titles of the open tabs, and ``tab`` is the number of this one."""

    url: str
    title: str
    snapshot: Snapshot
    tabs: tuple[str, ...] = ()
    tab: int = 1


async def observe_reaction(tab: BrowserTab, secrets: Secrets, before: Observation, acted: float) -> Observation:
    """Return the page after an action at the time ``acted`` on the page ``before``.

    Some pages react late: a menu opens, or more of a list is loaded, a moment after the click. While a page looks as it
    did, it is looked at again whenever something happens, until it had time to react.
    """
    shown = _shown(before)
    while True:
        seen = await observe(tab, secrets)
        left = acted + _REACTION - asyncio.get_running_loop().time()
        if left <= 0 or _shown(seen) != shown:
            return seen
        await tab.wait_for_change(left)
        await tab.wait_until_idle()


def _shown(seen: Observation) -> tuple[object, ...]:
    """Return what a model is shown of a page."""
    return seen.url, seen.title, seen.tabs, seen.tab, render(seen.snapshot.root)


async def observe(tab: BrowserTab, secrets: Secrets) -> Observation:
    """Return the page that the tab shows. While a page has no content, it is looked at again whenever it changes."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        seen = await _observe_once(tab, secrets)
        left = began + (tab.limits.load if tab.loading.is_waiting else tab.limits.idle) - loop.time()
        if left <= 0 or not _is_empty(seen.snapshot, links=tab.loading.has_socket):
            return seen
        await tab.wait_for_change(min(left, tab.limits.idle))
        await tab.wait_until_idle()


def _is_empty(snapshot: Snapshot, *, links: bool) -> bool:
    """Return whether a page has nothing to act on and no more text than a page shows while it is loading.

    With ``links`` there may be links, such as the one with which one skips the navigation.
    """
    elements = [element for element in snapshot.elements if not links or element.tag in ("button", "input", "select")]
    return not elements and count_words(snapshot.root.text()) < _CONTENT_WORDS


async def _observe_once(tab: BrowserTab, secrets: Secrets) -> Observation:
    page = await _read_page(tab)
    html = secrets.redact(page["html"])
    snapshot = snapshot_of(html, ID_ATTRIBUTE, frozenset(page["ids"]))
    url = secrets.redact(page["url"])
    tabs = tuple(map(secrets.redact, await tab.tabs.titles()))
    title = secrets.redact(page["title"])
    return Observation(url, title, replace(snapshot, url=url), tabs, tab.tabs.number)


async def _read_page(tab: BrowserTab) -> dict[str, Any]:
    for left in reversed(range(_ATTEMPTS)):
        try:
            return await tab.read_page()
        except BrowserError:
            if not left:
                raise
            await tab.wait_until_idle()
    raise AssertionError
