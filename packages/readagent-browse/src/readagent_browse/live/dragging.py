"""Dragging: take an element with the mouse, and put it to, before or after another one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readagent.errors import ActionFailedError

if TYPE_CHECKING:
    from readagent_browse.live.browser import ElementHandle
    from readagent_browse.live.browser_tab import BrowserTab

_STEPS = 12  # pages that sort as one drags need to see the way
_BESIDE = 3  # pixels beside an element
_EDGE = 0.15  # of its size, from its edge
_TRIES = 6
_SETTLING = 0.25  # seconds in which what makes room for something moves away


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


async def drag(tab: BrowserTab, element: str, where: str, target: str) -> None:
    """Press the mouse button on an element, move it ``to``, ``before`` or ``after`` another one, and let go.

    In lists that sort as one drags, what one enters moves away, and may not take notice of the mouse until it has
    arrived: then the mouse is moved on. Where the element is still in its first place, the page sorts at the drop.
    """
    mouse, in_time, limit = tab.page.mouse, tab.in_time, 1000 * tab.limits.act
    held, other = await tab.locator(element), await tab.locator(target)
    await in_time(held.hover(timeout=limit))
    moved, goal = [await in_time(one.element_handle(timeout=limit)) for one in (held, other)]
    start, before = await _box(tab, moved), await _box(tab, goal)
    layout, first = await tab.ask(target, "layout"), await tab.ask(element, "dragPlace", target, where)
    column = layout == "column"
    beside = start.x + start.width <= before.x or before.x + before.width <= start.x
    if first is None and beside and column:  # another list, beside that of the element
        x, y = _inside(before, where, column=True)
    else:
        x, y = drop_point(start, before, where, in_grid=layout == "grid")
    await in_time(mouse.down())
    try:  # a drag begins where the element is, before the page scrolls
        await in_time(mouse.move(start.x + start.width / 2 + 2 * _BESIDE, start.y + start.height / 2, steps=3))
        await in_time(goal.scroll_into_view_if_needed(timeout=limit))
        end = await _box(tab, goal)
        x, y = x + end.x - before.x, y + end.y - before.y
        await in_time(mouse.move(x, y, steps=_STEPS))
        await in_time(mouse.move(x, y))  # pages that look at the last two events see where it rests
        for _ in range(_TRIES):
            await asyncio.sleep(_SETTLING)
            if where == "to":
                return
            now, place = await _box(tab, goal), await tab.ask(element, "dragPlace", target, where)
            if place in (-1, first) and place is not None:
                return
            if place is None and (layout == "grid" or _made_room(start, end, now, where, first is not None, column)):
                return
            x, y = _inside(now, where, column=column)
            await in_time(mouse.move(x - _BESIDE, y))
            await in_time(mouse.move(x, y, steps=2))
    finally:
        await in_time(mouse.up())


async def _box(tab: BrowserTab, element: ElementHandle) -> _Box:
    box = await tab.in_time(element.bounding_box())
    if box is None:
        raise ActionFailedError("it cannot be dragged there: one of the two is not displayed")
    return _Box(**box)
