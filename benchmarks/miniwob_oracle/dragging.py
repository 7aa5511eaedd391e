"""Policies for tasks that are solved by dragging: items of lists and grids, numbers to sort, and a box into another."""

from __future__ import annotations

import re

from .seen import DONE, Intent, Item, Seen

_ORDER = ("top left", "top center", "top right", "center left", "center", "center right", "bottom left",
          "bottom center", "bottom right")  # fmt: skip


def item(seen: Seen, found: re.Match[str]) -> Intent:
    """Move an item of a list or of a grid of three columns."""
    items = seen.tagged("li")
    at = next(n for n, one in enumerate(items) if one.text == found[1])
    return _move(items, at, _goal(found[2], at, len(items))) if not seen.did(items[at]) else DONE


def _goal(where: str, at: int, count: int) -> int:
    """Return the position that an instruction means, counted from 0."""
    if place := re.match(r"to the (\d+)", where):
        return int(place[1]) - 1
    if place := re.match(r"(up|down|left|right) by one", where):
        row = 1 if "position" in where else 3
        return at + {"up": -row, "down": row, "left": -1, "right": 1}[place[1]]
    name = where.removeprefix("to the ")
    return {"top": 0, "bottom": count - 1}[name] if name in ("top", "bottom") else _ORDER.index(name)


def numbers(seen: Seen, found: re.Match[str]) -> Intent:
    """Sort a list of numbers, and submit it."""
    items = seen.tagged("li")
    values = [int(one.text) for one in items]
    for place, value in enumerate(sorted(values)):
        if values[place] != value:
            return _move(items, values.index(value, place), place)
    return Intent(seen.named("Submit").id)


def box(seen: Seen, found: re.Match[str]) -> Intent:
    """Drag the small box into the large one, and submit."""
    small, large = seen.named("s"), seen.named("L")
    return Intent(seen.named("Submit").id) if seen.did(small) else Intent(small.id, "drag", f"to [{large.id}]")


def _move(items: list[Item], at: int, goal: int) -> Intent:
    """Drag the item at one position to another."""
    return Intent(items[at].id, "drag", f"{'after' if goal > at else 'before'} [{items[goal].id}]")


POLICIES = (
    (r"^Drag (\w+) ((?:to the|up|down|left|right) .*)\.$", item),
    (r"^Sort the numbers in increasing order", numbers),
    (r"^Drag the smaller box", box),
)
