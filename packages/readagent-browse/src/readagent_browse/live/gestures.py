"""Gestures: what can be done to a page besides clicking and typing, each with a time limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf, isclose, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError
from readagent_browse.live.browser import translate_errors
from readagent_browse.live.dragging import Dragging
from readagent_browse.live.loading import PageResponses
from readagent_browse.live.visit import Limits
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import CDPSession, Locator, Page

Find = Callable[[str], Awaitable["Locator"]]
_HERE = Path(__file__).parent
_SCROLL = (_HERE / "scroll.js").read_text("utf-8")
_WHEEL_BOX = (_HERE / "wheel_box.js").read_text("utf-8")
_WHEEL_VIEW = (_HERE / "wheel_view.js").read_text("utf-8")
_COVERED_FIELD = (_HERE / "covered_field.js").read_text("utf-8")
_SCREEN = 900  # pixels that the wheel is turned by at most
_FILE_FIELD = "element => element.type === 'file' || Boolean(element.control && element.control.type === 'file')"
_CONTROL = "element => element.control || element"


class Gestures:
    """Does to one page what is neither clicking nor typing; ``find`` finds an element by its id."""

    def __init__(self, page: Page, cdp: CDPSession, find: Find, limits: Limits, responses: PageResponses) -> None:
        self._page = page
        self._in_time = responses.wait_for
        self._cdp = cdp
        self._find = find
        self._limit_ms = 1000 * limits.act
        self._load_ms = 1000 * limits.load
        self._has_hovered = False

    async def back(self) -> None:
        """Go back to the page before this one."""
        with translate_errors("it cannot go back", ActionFailedError):
            history = await self._in_time(self._cdp.send("Page.getNavigationHistory"))
            at = history["currentIndex"]
            if at == 0 or history["entries"][at - 1]["url"] == "about:blank":
                raise ActionFailedError("there is no page to go back to in this tab")
            await self._in_time(self._page.go_back(wait_until="commit", timeout=self._load_ms))

    async def scroll(self, element: str, direction: str) -> None:
        """Scroll the list or box around an element by one screen, or without an element the page to its end.

        A list that scrolls by its own means, and not as the browser does, is scrolled with the wheel of the mouse.
        """
        with translate_errors("it cannot be scrolled", ActionFailedError):
            if element:
                found = await self._find(element)
                moved = await self._scroll_box(found, direction, page=False)
                if moved is None:
                    moved = await self._turn_wheel(found, direction) or await self._scroll_box(
                        found, direction, page=True
                    )
            else:
                script = f"(how) => ({_SCROLL})(null, how)"
                moved = bool(await self._in_time(self._page.evaluate(script, [direction, True])))
        if not moved:
            raise ActionFailedError(f"there is nothing more to scroll to ({direction})")

    async def _scroll_box(self, found: Locator, direction: str, *, page: bool) -> bool | None:
        """Return whether the box around an element moved, or None if there is none, or only the page."""
        moved: bool | None = await self._in_time(found.evaluate(_SCROLL, [direction, page], timeout=self._limit_ms))
        return moved

    async def _turn_wheel(self, found: Locator, direction: str) -> bool:
        """Turn the wheel over an element by one screen, and return whether something moved in the box around it."""
        await self._in_time(found.scroll_into_view_if_needed(timeout=self._limit_ms))
        element = await self._in_time(found.element_handle(timeout=self._limit_ms))
        box = (await self._in_time(element.evaluate_handle(_WHEEL_BOX))).as_element()
        place, around = [one and await self._in_time(one.bounding_box()) for one in (element, box)]
        if box is None or not place or not around:
            return False
        await self._in_time(self._page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2))
        before = await self._in_time(box.evaluate(_WHEEL_VIEW, [element, None]))
        distance = 0.9 * min(around["height"], _SCREEN)
        await self._in_time(self._page.mouse.wheel(0, -distance if direction == "up" else distance))
        return bool(before != await self._in_time(box.evaluate(_WHEEL_VIEW, [element, before])))

    async def hover(self, element: str) -> None:
        """Move the mouse over an element."""
        with translate_errors("the mouse cannot be moved there", ActionFailedError):
            found = await self._find(element)
            await self._in_time(found.hover(timeout=self._limit_ms))
            self._has_hovered = True

    async def leave_menu(self, found: Locator) -> None:
        """Move the mouse to an element before it is clicked, if a menu may be open under the mouse.

        The menu closes and may move the element, and the click would miss it.
        """
        if self._has_hovered:
            await self._in_time(found.hover(timeout=self._limit_ms, force=await self.is_covered(found)))

    async def is_covered(self, found: Locator) -> bool:
        """Return whether an element is a field that another part of its own control is drawn over."""
        return bool(await self._in_time(found.evaluate(_COVERED_FIELD, ID_ATTRIBUTE, timeout=self._limit_ms)))

    async def double_click(self, element: str) -> None:
        """Click an element twice, as fast as a double-click is."""
        with translate_errors("it cannot be double-clicked", ActionFailedError):
            found = await self._find(element)
            await self.leave_menu(found)
            await self._in_time(found.dblclick(timeout=self._limit_ms, no_wait_after=True))

    async def drag(self, element: str, where: str, target: str) -> None:
        """Drag an element with the mouse ``to``, ``before`` or ``after`` another one, and drop it there."""
        with translate_errors("it cannot be dragged there", ActionFailedError):
            moved, goal = await self._find(element), await self._find(target)
            await self._in_time(moved.hover(timeout=self._limit_ms))
            ends = [await self._in_time(one.element_handle(timeout=self._limit_ms)) for one in (moved, goal)]
            await Dragging(self._page, ends[0], ends[1], where, self._in_time, self._limit_ms).drag()

    async def press(self, element: str, key: str) -> None:
        """Press a key or a combination such as Control+A, in an element or where the focus is."""
        with translate_errors(f"{key} cannot be pressed", ActionFailedError):
            if element:
                found = await self._find(element)
                await self._in_time(found.press(key, timeout=self._limit_ms, no_wait_after=True))
            else:
                await self._in_time(self._page.keyboard.press(key))

    async def upload(self, element: str, file: Path) -> None:
        """Give a file to a field for files, to its label, or to an element that asks for one when it is clicked."""
        with translate_errors("it takes no file", ActionFailedError):
            found = await self._find(element)
            if await self._in_time(found.evaluate(_FILE_FIELD)):
                control = (await self._in_time(found.evaluate_handle(_CONTROL))).as_element()
                if control is not None:
                    await self._in_time(control.set_input_files(file, timeout=self._limit_ms))
                return
            async with self._page.expect_file_chooser(timeout=self._limit_ms) as chooser:
                await self._in_time(found.click(timeout=self._limit_ms, no_wait_after=True))
            await self._in_time((await chooser.value).set_files(file, timeout=self._limit_ms))


_MOST_KEYS = 200
_NEAR = 1e-6  # pages add small steps, which are not exact
_VALUE = (Path(__file__).parent / "slider_value.js").read_text("utf-8")
# The value of a field, and the one a step beside it.
_BESIDE = """(field) => {
  const copy = field.cloneNode();
  copy.value = field.value;
  copy.stepDown();
  if (copy.value === field.value) copy.stepUp();
  return [field.value, copy.value];
}"""
_UP = ("PageUp", "ArrowUp", "ArrowRight")  # some sliders know only one of them
_DOWN = ("PageDown", "ArrowDown", "ArrowLeft")


@dataclass(slots=True)
class Sliding:
    """Moves ``slider`` by keys and reads its value after each; ``in_time`` waits for the page: see PageResponses."""

    slider: Locator
    in_time: Callable[..., Any]
    limit_ms: float
    _keys: int = 0

    async def fill(self, text: str) -> None:
        """Set an ``<input type=range>`` to this number. The last step is made with a key."""
        await self.in_time(self.slider.fill(text, timeout=self.limit_ms))
        goal, beside = await self.in_time(self.slider.evaluate(_BESIDE, timeout=self.limit_ms))
        if beside != goal:
            await self.in_time(self.slider.fill(beside, timeout=self.limit_ms))
            key = "ArrowUp" if float(beside) < float(goal) else "ArrowDown"
            await self.in_time(self.slider.press(key, timeout=self.limit_ms, no_wait_after=True))
        if await self.in_time(self.slider.input_value(timeout=self.limit_ms)) != goal:
            await self.in_time(self.slider.fill(goal, timeout=self.limit_ms))

    async def slide(self, text: str) -> None:
        """Set a slider that is no field to the value nearest to this number that it takes."""
        try:
            goal = float(text)
        except ValueError:
            goal = inf
        if not isfinite(goal):
            raise ActionFailedError("it is set to a number")
        now, low, high = await self._value(None)
        if now is None:
            raise ActionFailedError("it cannot be typed into: its page does not give its value")
        goal = max(goal, low) if high is None else min(max(goal, low), high)
        if goal - low < abs(goal - now):
            now = await self._press("Home", now)
        elif high is not None and high - goal < abs(goal - now):
            now = await self._press("End", now)
        for index in range(len(_UP)):
            now = await self._approach(goal, now, index)
        if not isclose(now, goal, abs_tol=_NEAR) and self._keys >= _MOST_KEYS:
            raise ActionFailedError(f"it is at {now:g} after {_MOST_KEYS} keys")

    async def _approach(self, goal: float, now: float, index: int) -> float:
        """Press one key until it does not lead nearer to the goal, and return the value then."""
        while not isclose(now, goal, abs_tol=_NEAR) and self._keys < _MOST_KEYS:
            forth, back = (_UP[index], _DOWN[index]) if goal > now else (_DOWN[index], _UP[index])
            after = await self._press(forth, now)
            if abs(goal - after) >= abs(goal - now):
                return await self._press(back, after) if after != now else now
            now = after
        return now

    async def _press(self, key: str, before: float) -> float:
        """Press a key and return the value after it."""
        self._keys += 1
        await self.in_time(self.slider.press(key, timeout=self.limit_ms, no_wait_after=True))
        now = (await self._value(before))[0]
        return before if now is None else now

    async def _value(self, before: float | None) -> tuple[float | None, float, float | None]:
        now, low, high = await self.in_time(self.slider.evaluate(_VALUE, before, timeout=self.limit_ms))
        return now, low, high
