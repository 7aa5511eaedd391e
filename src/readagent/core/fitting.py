"""Find the largest number for which a condition holds, by bisection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable


def largest(count: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from 1 to ``count`` that fits, or 0 if none does.

    If a number fits, all smaller ones must fit too.
    """
    return bisect_left(range(1, count + 1), True, key=lambda number: not fits(number))
