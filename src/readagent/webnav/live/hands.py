"""Hands: what can be done to a page besides clicking and typing, each with a time limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.errors import ActionFailedError
from readagent.webnav.live.browser import translate_errors
from readagent.webnav.live.visit import Limits

if TYPE_CHECKING:
    from readagent.webnav.live.browser import CDPSession, Locator, Page

Find = Callable[[str], Awaitable["Locator"]]
_SCROLL = (Path(__file__).parent / "scroll.js").read_text("utf-8")
_FILE_FIELD = "element => element.type === 'file' || Boolean(element.control && element.control.type === 'file')"
_CONTROL = "element => element.control || element"


class Hands:
    """Goes back, scrolls, hovers, presses keys and gives files in one page; ``find`` finds an element by its id."""

    def __init__(self, page: Page, cdp: CDPSession, find: Find, limits: Limits) -> None:
        self._page = page
        self._cdp = cdp
        self._find = find
        self._limit_ms = 1000 * limits.act
        self._load_ms = 1000 * limits.load

    async def back(self) -> None:
        """Go back to the page before this one."""
        with translate_errors("it cannot go back", ActionFailedError):
            history = await self._cdp.send("Page.getNavigationHistory")
            at = history["currentIndex"]
            if at == 0 or history["entries"][at - 1]["url"] == "about:blank":
                raise ActionFailedError("there is no page to go back to in this tab")
            await self._page.go_back(wait_until="commit", timeout=self._load_ms)

    async def scroll(self, element: str, direction: str) -> None:
        """Scroll the list or box around an element by one screen, or without an element the page to its end."""
        with translate_errors("it cannot be scrolled", ActionFailedError):
            if element:
                moved = await (await self._find(element)).evaluate(_SCROLL, direction, timeout=self._limit_ms)
            else:
                moved = await self._page.evaluate(f"(direction) => ({_SCROLL})(null, direction)", direction)
        if not moved:
            raise ActionFailedError(f"there is nothing more to scroll to ({direction})")

    async def hover(self, element: str) -> None:
        """Move the mouse over an element."""
        with translate_errors("the mouse cannot be moved there", ActionFailedError):
            await (await self._find(element)).hover(timeout=self._limit_ms)

    async def press(self, element: str, key: str) -> None:
        """Press a key or a combination such as Control+A, in an element or where the focus is."""
        with translate_errors(f"{key} cannot be pressed", ActionFailedError):
            if element:
                await (await self._find(element)).press(key, timeout=self._limit_ms, no_wait_after=True)
            else:
                await self._page.keyboard.press(key)

    async def upload(self, element: str, file: Path) -> None:
        """Give a file to a field for files, to its label, or to an element that asks for one when it is clicked."""
        with translate_errors("it takes no file", ActionFailedError):
            found = await self._find(element)
            if await found.evaluate(_FILE_FIELD):
                control = (await found.evaluate_handle(_CONTROL)).as_element()
                if control is not None:
                    await control.set_input_files(file, timeout=self._limit_ms)
                return
            async with self._page.expect_file_chooser(timeout=self._limit_ms) as chooser:
                await found.click(timeout=self._limit_ms, no_wait_after=True)
            await (await chooser.value).set_files(file, timeout=self._limit_ms)
