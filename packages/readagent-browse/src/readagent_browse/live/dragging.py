"""Dragging: take an element with the mouse, and put it to, before or after another one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readagent.errors import ActionFailedError
from readagent_browse.snapshot import ID_ATTRIBUTE

if TYPE_CHECKING:
    from readagent_browse.live.browser import CDPSession, ElementHandle, Page

_STEPS = 12  # pages that sort as one drags need to see the way
_BESIDE = 3  # pixels beside an element
_EDGE = 0.15  # of its size, from its edge
_TRIES = 6
_SETTLING = 0.25  # seconds in which what makes room for something moves away
_HERE = Path(__file__).parent
_LAYOUT = (_HERE / "drag_layout.js").read_text("utf-8")
_PLACE = (_HERE / "drag_place.js").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float
    height: float


def drop_point(start: _Box, end: _Box, where: str, *, in_grid: bool = False) -> tuple[float, float]:
    """Return where to drop what is dragged from ``start``: in the middle of ``end``, or before or after it.

    Lists that sort as one drags make room on the far side of what is entered. So coming from the far side one enters
    its near edge, and coming from the near side one stops just beside it. In a grid, ``end`` itself is entered: what
    stands beside it may be in another row.
    """
    if in_grid:
        return _inside(end, where)
    across = abs(start.y + start.height / 2 - end.y - end.height / 2) < min(start.height, end.height) / 2
    size, low, from_low = (end.width, end.x, start.x < end.x) if across else (end.height, end.y, start.y < end.y)
    place = low + size / 2
    if where == "before":
        place = low - _BESIDE if from_low else low + _EDGE * size
    elif where == "after":
        place = low + (1 - _EDGE) * size if from_low else low + size + _BESIDE
    return (place, end.y + end.height / 2) if across else (end.x + end.width / 2, place)


def _inside(box: _Box, where: str, *, column: bool = False) -> tuple[float, float]:
    """Return the point in a box that is near its beginning or end, from left to right or in a column."""
    share = {"before": _EDGE, "after": 1 - _EDGE}.get(where, 0.5)
    across, down = (0.5, share) if column else (share, 0.5)
    return box.x + across * box.width, box.y + down * box.height


def _made_room(start: _Box, end: _Box, now: _Box, where: str, same_list: bool, column: bool) -> bool:
    """Return whether an element is where it should be if something is to be put before or after it.

    Some pages move what they drag only when it is dropped, and until then show others out of their places.
    """
    moved = now.y - end.y if column else now.x - end.x
    from_before = same_list and (start.y < end.y if column else start.x < end.x)
    if from_before:
        return moved < -_BESIDE if where == "after" else abs(moved) <= _BESIDE
    return moved > _BESIDE if where == "before" else abs(moved) <= _BESIDE


@dataclass(frozen=True, slots=True)
class Dragging:
    """Drags ``moved`` to, before or after ``goal``; ``in_time`` waits for the page: see PageResponses."""

    page: Page
    moved: ElementHandle
    goal: ElementHandle
    where: str
    in_time: Callable[..., Any]
    limit_ms: float

    async def drag(self) -> None:
        """Press the mouse button on the element, move it, and let go."""
        start, before = await self._box(self.moved), await self._box(self.goal)
        layout = str(await self.in_time(self.goal.evaluate(_LAYOUT)))
        first = await self._place()
        beside = start.x + start.width <= before.x or before.x + before.width <= start.x
        if first is None and beside and layout == "column":  # another list, beside that of the element
            x, y = _inside(before, self.where, column=True)
        else:
            x, y = drop_point(start, before, self.where, in_grid=layout == "grid")
        mouse = self.page.mouse
        await self.in_time(mouse.down())
        try:  # a drag begins where the element is, before the page scrolls
            from_x, from_y = start.x + start.width / 2, start.y + start.height / 2
            await self.in_time(mouse.move(from_x + 2 * _BESIDE, from_y, steps=3))
            await self.in_time(self.goal.scroll_into_view_if_needed(timeout=self.limit_ms))
            end = await self._box(self.goal)
            x, y = x + end.x - before.x, y + end.y - before.y
            await self.in_time(mouse.move(x, y, steps=_STEPS))
            await self.in_time(mouse.move(x, y))  # pages that look at the last two events see where it rests
            await self._put_in_place(layout, first, start, end)
        finally:
            await self.in_time(mouse.up())

    async def _put_in_place(self, layout: str, first: int | None, start: _Box, end: _Box) -> None:
        """Move on until the element is before or after the other one, in lists that sort as one drags.

        What one enters there moves away, and may not take notice of the mouse until it has arrived. ``first`` is the
        place of the element before it was dragged: where it is still there, the page sorts when it is dropped.
        ``start`` and ``end`` are where the two were before anything made room.
        """
        column = layout == "column"
        for _ in range(_TRIES):
            await asyncio.sleep(_SETTLING)
            if self.where == "to":
                return
            now, place = await self._box(self.goal), await self._place()
            if place in (-1, first) and place is not None:
                return
            if place is None and (
                layout == "grid" or _made_room(start, end, now, self.where, first is not None, column)
            ):
                return
            x, y = _inside(now, self.where, column=column)
            await self.in_time(self.page.mouse.move(x - _BESIDE, y))
            await self.in_time(self.page.mouse.move(x, y, steps=2))

    async def _place(self) -> int | None:
        place: int | None = await self.in_time(self.moved.evaluate(_PLACE, [self.goal, self.where]))
        return place

    async def _box(self, element: ElementHandle) -> _Box:
        box = await self.in_time(element.bounding_box())
        if box is None:
            raise ActionFailedError("it cannot be dragged there: one of the two is not displayed")
        return _Box(**box)


_LISTENERS = "getEventListeners(document.documentElement).mousedown.map((one) => one.listener)"
_MARK = f"""function () {{
  const lists = Array.isArray(this.containers) ? this.containers : [];
  for (const list of lists) if (list instanceof Element) list[Symbol.for("{ID_ATTRIBUTE}-sortable")] = true;
  return lists.length > 0;
}}"""


async def mark_sortable_lists(cdp: CDPSession) -> bool:
    """Mark the lists whose items can be dragged, and return whether there are any.

    Dragula listens at the root of the page, and keeps its lists as ``containers`` in a variable of that listener.
    """
    asked = {"expression": _LISTENERS, "includeCommandLineAPI": True}
    answer = await cdp.send("Runtime.evaluate", asked)
    found = False
    for listener in await _objects(cdp, answer["result"]):
        for scopes in await _objects(cdp, listener, "[[Scopes]]"):
            for scope in await _objects(cdp, scopes):
                if scope.get("description") == "Global":
                    continue
                for value in await _objects(cdp, scope):
                    marked = {"objectId": value["objectId"], "functionDeclaration": _MARK, "returnByValue": True}
                    answer = await cdp.send("Runtime.callFunctionOn", marked)
                    found = found or answer["result"].get("value") is True
    return found


async def _objects(cdp: CDPSession, of: dict[str, Any], internal: str = "") -> list[dict[str, Any]]:
    """Return the objects that are properties of an object, or the internal one of this name."""
    if "objectId" not in of:
        return []
    answer = await cdp.send("Runtime.getProperties", {"objectId": of["objectId"], "ownProperties": True})
    named = answer.get("internalProperties", []) if internal else answer["result"]
    values = [one["value"] for one in named if "value" in one and (one["name"] == internal or not internal)]
    return [value for value in values if "objectId" in value]
