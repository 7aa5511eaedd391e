"""A running server with a scripted model on loopback, and tabs of a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from web.browsing import OpenTab
from web.fixtures import Serve, model, serve
from web.running import TOKEN, Client

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["client", "model", "open_tab", "page_browser", "serve"]


@pytest.fixture
def client(serve: Serve) -> Client:
    return serve().client


@pytest.fixture(scope="module")
def page_browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    from readagent_browse.live.browser import find_browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_tab(page_browser: Browser) -> Iterator[OpenTab]:
    """Return a function that opens the page in a tab of its own. Errors of its scripts fail the test."""
    problems: list[str] = []
    contexts = []

    def open_tab(client: Client, route: str = "#/", *, width: int = 1440, height: int = 900, **how: Any) -> Page:
        context = page_browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(20_000)
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
        tab.goto(f"{client.address}?token={TOKEN}")
        if route != "#/":
            tab.goto(f"{client.address}{route}")
        tab.wait_for_selector("main :first-child")
        return tab

    yield open_tab
    for context in contexts:
        context.close()
    assert problems == []
