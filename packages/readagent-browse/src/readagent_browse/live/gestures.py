"""Gestures: what can be done to a page, each with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from math import inf, isclose, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from readagent.errors import ActionFailedError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.dragging import drag

if TYPE_CHECKING:
    from readagent_browse.live.browser import Locator
    from readagent_browse.live.browser_tab import BrowserTab

SET_AT_ONCE = frozenset("date time datetime-local month week color range".split())  # fields without a caret
_MAX_KEYS = 400  # characters typed key by key; the text before them is set at once
_PAUSE = 0.02  # seconds before Enter
_SCREEN = 900  # pixels that the wheel is turned by at most
_INNER_FIELDS = "input:not([type=hidden]):visible, textarea:visible, [contenteditable]:visible"
_MOST_KEYS = 200
_NEAR = 1e-6  # pages add small steps, which are not exact
_UP = ("PageUp", "ArrowUp", "ArrowRight")  # some sliders know only one of them
_DOWN = ("PageDown", "ArrowDown", "ArrowLeft")


class Gestures:
    """Acts on the page that a tab shows. ActionFailedError messages are shown to the model."""

    def __init__(self, tab: BrowserTab) -> None:
        self._tab = tab
        self._in_time = tab.in_time
        self._limit = 1000 * tab.limits.act  # milliseconds

    async def click(self, element: str, *, twice: bool = False) -> None:
        """Click an element. The page that this opens may take longer than the click.

        A menu that is open under the mouse closes first: it may move the element, and the click would miss it. A field
        that another part of its own control is drawn over is clicked all the same.
        """
        with translate_errors("it cannot be clicked", ActionFailedError):
            found = await self._tab.locator(element)
            covered = await self._tab.ask(element, "isCovered")
            if self._tab.has_hovered:
                await self._in_time(found.hover(timeout=self._limit, force=covered))
            click = found.dblclick if twice else found.click
            await self._in_time(click(timeout=self._limit, no_wait_after=True, force=covered))

    async def type(self, element: str, text: str) -> None:
        """Replace the content of a field by this text, typed key by key; a final line end presses Enter.

        Enter is pressed a moment after the last letter, as a person does: some frameworks put changes that follow
        each other at once together, and do not empty the field.
        """
        words, keyboard = text.removesuffix("\n"), self._tab.page.keyboard
        with translate_errors("it cannot be typed into", ActionFailedError):
            field = await self._field(element)
            kind = await self._tab.ask(element, "kind")
            if kind == "slider":
                await self._slide(element, field, words)
            elif kind == "range":
                await self._set_range(element, field, words)
            elif kind == "editor":
                await self._in_time(field.focus(timeout=self._limit))
                await self._in_time(keyboard.press("ControlOrMeta+a"))
                await self._in_time(keyboard.insert_text(words))
            else:
                first = words if kind in SET_AT_ONCE else words[:-_MAX_KEYS]
                await self._in_time(field.fill(first, timeout=self._limit))
            if kind not in ("slider", "editor", *SET_AT_ONCE):
                await self._in_time(field.press_sequentially(words[-_MAX_KEYS:], timeout=self._limit))
                if await self._is_mangled(element, words):
                    await self._in_time(field.fill(words, timeout=self._limit))
            if words != text:
                await asyncio.sleep(_PAUSE)
                await self._in_time(keyboard.press("Enter"))

    async def _field(self, element: str) -> Locator:
        """Return an element to type into: it, or the field in it, where a box with a role is drawn around that."""
        found = await self._tab.locator(element)
        if await self._tab.ask(element, "isBox"):
            inner = found.locator(_INNER_FIELDS)
            if await self._in_time(inner.count()) == 1:
                return inner
        return found

    async def _is_mangled(self, element: str, typed: str) -> bool:
        """Return whether the page wrote something else into a field than was typed. The field may be gone by now."""
        try:
            return bool(await self._tab.ask(element, "isMangled", typed))
        except ActionFailedError:
            return False

    async def set_secret(self, element: str, text: str, origin: str) -> None:
        """Set the content of a field to this text; a final line end presses Enter.

        Keys would go to whatever field has the focus, and pages can move the focus while one types. The origin of the
        document is looked at in the same moment.
        """
        words = text.removesuffix("\n")
        with translate_errors("it cannot be filled in", ActionFailedError):
            if not await self._tab.ask(element, "setValue", words, origin):
                raise ActionFailedError("it is not a field that a secret can be put into")
            if words != text:
                await self._in_time((await self._tab.locator(element)).press("Enter", timeout=self._limit))

    async def options(self, element: str) -> list[str]:
        """Return the options of a select."""
        with translate_errors("it is not a list to choose from", ActionFailedError):
            return [str(option) for option in await self._tab.ask(element, "options")]

    async def select(self, element: str, indexes: Sequence[int]) -> None:
        """Select the options at these positions, and no other."""
        with translate_errors("it cannot be selected", ActionFailedError):
            found = await self._tab.locator(element)
            await self._in_time(found.select_option(index=indexes, timeout=self._limit))

    async def back(self) -> None:
        """Go back to the page before this one."""
        with translate_errors("it cannot go back", ActionFailedError):
            history = await self._in_time(self._tab.tabs.shown.cdp.send("Page.getNavigationHistory"))
            at = history["currentIndex"]
            if at == 0 or history["entries"][at - 1]["url"] == "about:blank":
                raise ActionFailedError("there is no page to go back to in this tab")
            going = self._tab.page.go_back(wait_until="commit", timeout=1000 * self._tab.limits.load)
            await self._in_time(going)

    async def scroll(self, element: str, direction: str) -> None:
        """Scroll the list or box around an element by one screen, or without an element the page to its end.

        A list that scrolls by its own means, and not as the browser does, is scrolled with the wheel of the mouse.
        """
        with translate_errors("it cannot be scrolled", ActionFailedError):
            if not element:
                moved = await self._in_time(self._tab.tabs.shown.world.run("scroll", None, direction, True))
            else:
                moved = await self._tab.ask(element, "scroll", direction, False)
                if moved is None:
                    moved = await self._turn_wheel(element, direction)
                    moved = moved or await self._tab.ask(element, "scroll", direction, True)
        if not moved:
            raise ActionFailedError(f"there is nothing more to scroll to ({direction})")

    async def _turn_wheel(self, element: str, direction: str) -> bool:
        """Turn the wheel over an element by one screen, and return whether something moved in the box around it."""
        found, mouse = await self._tab.locator(element), self._tab.page.mouse
        await self._in_time(found.scroll_into_view_if_needed(timeout=self._limit))
        place = await self._in_time(found.bounding_box(timeout=self._limit))
        if not place:
            return False
        await self._in_time(mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2))
        height, before = await self._tab.ask(element, "view", None)
        distance = 0.9 * min(height, _SCREEN)
        await self._in_time(mouse.wheel(0, -distance if direction == "up" else distance))
        return bool((await self._tab.ask(element, "view", before))[1] != before)

    async def hover(self, element: str) -> None:
        """Move the mouse over an element."""
        with translate_errors("the mouse cannot be moved there", ActionFailedError):
            await self._in_time((await self._tab.locator(element)).hover(timeout=self._limit))
            self._tab.has_hovered = True

    async def drag(self, element: str, where: str, target: str) -> None:
        """Drag an element with the mouse ``to``, ``before`` or ``after`` another one, and drop it there."""
        with translate_errors("it cannot be dragged there", ActionFailedError):
            await drag(self._tab, element, where, target)

    async def press(self, element: str, key: str) -> None:
        """Press a key or a combination such as Control+A, in an element or where the focus is."""
        with translate_errors(f"{key} cannot be pressed", ActionFailedError):
            if element:
                found = await self._tab.locator(element)
                await self._in_time(found.press(key, timeout=self._limit, no_wait_after=True))
            else:
                await self._in_time(self._tab.page.keyboard.press(key))

    async def upload(self, element: str, file: Path) -> None:
        """Give a file to a field for files, to its label, or to an element that asks for one when it is clicked."""
        with translate_errors("it takes no file", ActionFailedError):
            found = await self._tab.locator(element)
            if await self._tab.ask(element, "isFileField"):
                await self._in_time(found.set_input_files(file, timeout=self._limit))
                return
            async with self._tab.page.expect_file_chooser(timeout=self._limit) as chooser:
                await self._in_time(found.click(timeout=self._limit, no_wait_after=True))
            await self._in_time((await chooser.value).set_files(file, timeout=self._limit))

    async def _set_range(self, element: str, field: Locator, text: str) -> None:
        """Set an ``<input type=range>`` to this number. The last step is made with a key."""
        await self._in_time(field.fill(text, timeout=self._limit))
        goal, beside = await self._tab.ask(element, "beside")
        if beside != goal:
            await self._in_time(field.fill(beside, timeout=self._limit))
            key = "ArrowUp" if float(beside) < float(goal) else "ArrowDown"
            await self._in_time(field.press(key, timeout=self._limit, no_wait_after=True))
        if await self._in_time(field.input_value(timeout=self._limit)) != goal:
            await self._in_time(field.fill(goal, timeout=self._limit))

    async def _slide(self, element: str, slider: Locator, text: str) -> None:
        """Set a slider that is no field, by keys, to the value nearest to this number that it takes."""
        try:
            goal = float(text)
        except ValueError:
            goal = inf
        if not isfinite(goal):
            raise ActionFailedError("it is set to a number")
        now, low, high = await self._tab.ask(element, "sliderValue", None)
        if now is None:
            raise ActionFailedError("it cannot be typed into: its page does not give its value")
        pressed = 0

        async def press(key: str, before: float) -> float:
            nonlocal pressed
            pressed += 1
            await self._in_time(slider.press(key, timeout=self._limit, no_wait_after=True))
            after = (await self._tab.ask(element, "sliderValue", before))[0]
            return before if after is None else float(after)

        goal = max(goal, low) if high is None else min(max(goal, low), high)
        if goal - low < abs(goal - now):
            now = await press("Home", now)
        elif high is not None and high - goal < abs(goal - now):
            now = await press("End", now)
        for up, down in zip(_UP, _DOWN, strict=True):
            while not isclose(now, goal, abs_tol=_NEAR) and pressed < _MOST_KEYS:
                forth, back = (up, down) if goal > now else (down, up)
                after = await press(forth, now)
                if abs(goal - after) >= abs(goal - now):
                    now = await press(back, after) if after != now else now
                    break
                now = after
        if not isclose(now, goal, abs_tol=_NEAR) and pressed >= _MOST_KEYS:
            raise ActionFailedError(f"it is at {now:g} after {_MOST_KEYS} keys")
