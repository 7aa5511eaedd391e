"""How many tokens the entries of a level may have, so that they fill the room and few of them change as a text grows.

Sizes come from a ladder. Entries have one of two neighbouring sizes, as many the larger one as there is room for. If
there is one more part, about four of the larger ones become smaller, and the others stay as they are.
"""

from __future__ import annotations

from math import ceil

_STEP = 1.25  # of the ladder


def entry_sizes(count: int, room: int, least: int) -> list[int]:
    """Return the size of each of ``count`` entries that share the room, those with the larger size spread evenly.

    The ladder begins with ``least``; where there is less room than that for each entry, all have the same size.
    """
    if least * count > room:
        return [room // count] * count
    small = large = least
    while large * count <= room:
        small, large = large, ceil(_STEP * large)
    larger = sorted(range(count), key=_spread)[: (room - small * count) // (large - small)]
    return [large if number in larger else small for number in range(count)]


def _spread(number: int) -> float:
    """Return a fraction that is the same for a number however many there are, and that spreads neighbours apart."""
    digits = f"{number:b}"
    return int(digits[::-1], 2) / (1 << len(digits))
