"""Sliding: set a slider to a number with keys, as some pages use its value only after one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isclose, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError

if TYPE_CHECKING:
    from readagent_browse.live.browser import Locator

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
