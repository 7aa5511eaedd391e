"""The page with the keyboard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from web.browsing import OpenTab, highlighted, until
from web.running import Client

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def tab_to(tab: Page, selector: str, *, back: bool = False) -> None:
    """Press Tab until an element has the focus; it must be visible that it has."""
    for _ in range(80):
        tab.keyboard.press("Shift+Tab" if back else "Tab")
        if tab.evaluate(f"document.activeElement.matches({selector!r})"):
            outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none"
            return
    raise AssertionError(f"{selector} was not reached")


def test_a_document_is_opened_asked_and_its_quote_followed(client: Client, open_tab: OpenTab) -> None:
    client.story()
    tab = open_tab(client)
    tab.wait_for_selector(".document h2")
    tab_to(tab, ".document .title")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".tile .gist")
    tab.keyboard.press("/")
    tab.keyboard.type("What was in the biscuit tin?/jk?")
    assert tab.input_value("#question") == "What was in the biscuit tin?/jk?"
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".exchange:not(.live) .quote")
    tab_to(tab, ".quote", back=True)
    tab.keyboard.press("Enter")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert highlighted(tab, "target")


def test_pages_the_map_and_a_gist_have_keys(client: Client, open_tab: OpenTab) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile[data-page='0'][aria-current]")
    tab.keyboard.press("j")
    tab.keyboard.press("j")
    tab.wait_for_selector(".tile[data-page='2'][aria-current]")
    tab.keyboard.press("k")
    tab.wait_for_selector(".tile[data-page='1'][aria-current]")
    tab.keyboard.press("g")
    assert tab.evaluate("document.activeElement.closest('.tile').dataset.page") == "1"
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("document.activeElement.closest('.tile').dataset.page") == "2"
    tab.keyboard.press("e")
    tab.wait_for_selector(".gist-form textarea:focus")
    tab.keyboard.press("Control+a")
    tab.keyboard.type("Edited with keys: jk/g?")
    tab.keyboard.press("Control+Enter")
    tab.wait_for_selector(".tile[data-page='2'].pinned")
    assert client.get(f"/api/documents/{document}/pages")[2]["gist"] == "Edited with keys: jk/g?"


def test_help_opens_and_escape_closes_it(client: Client, open_tab: OpenTab) -> None:
    tab = open_tab(client)
    tab.wait_for_selector(".nothing")
    tab.keyboard.press("?")
    assert "next and previous page" in tab.inner_text("dialog")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("dialog", state="detached")
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "search-words"
    tab.keyboard.press("Escape")
    assert tab.evaluate("document.activeElement.id") != "search-words"
