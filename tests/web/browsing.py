"""What the tests of the page look at in a tab of the browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

OpenTab = Callable[..., "Page"]


def until(tab: Page, expression: str) -> None:
    """Wait until an expression is true in the page, whose policy forbids what ``wait_for_function`` does."""
    deadline = time.monotonic() + 20
    while not tab.evaluate(expression):
        assert time.monotonic() < deadline, expression


def texts(tab: Page, selector: str) -> list[str]:
    """Return the texts of all elements that a selector finds."""
    return [one.strip() for one in tab.locator(selector).all_inner_texts()]


def highlighted(tab: Page, kind: str) -> list[str]:
    """Return the stretches of text that are highlighted."""
    return tab.evaluate(f"[...(CSS.highlights.get('{kind}') ?? [])].map(range => range.toString())")


def in_view(tab: Page, kind: str) -> bool:
    """Return whether the first highlighted stretch is within the pane of the text."""
    return tab.evaluate(
        f"""() => {{
            const range = [...CSS.highlights.get('{kind}')][0].getBoundingClientRect();
            const pane = document.querySelector('.pane-text').getBoundingClientRect();
            return range.top >= pane.top && range.bottom <= pane.bottom;
        }}"""
    )


def ask(tab: Page, question: str) -> None:
    """Ask a question in the reading room, and wait for its answer."""
    before = tab.locator(".exchange:not(.live)").count()
    tab.fill("#question", question)
    tab.press("#question", "Enter")
    until(tab, f"document.querySelectorAll('.exchange:not(.live)').length > {before}")
