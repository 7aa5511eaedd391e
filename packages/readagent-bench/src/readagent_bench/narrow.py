"""Windows that leave a given number of tokens, to compare methods that show the same amount of text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

from readagent.core.window import SMALLEST, Window

_AROUND = 4096  # tokens around the text, more than any window reserves


def window_for_text(tokens: int, within: Window) -> Window:
    """Return the window that has so many tokens for gists and pages, or ``within`` if that is smaller."""
    return _smallest(within, tokens, lambda window: window.free)


def window_for_prompt(tokens: int, within: Window) -> Window:
    """Return the window for prompts of so many tokens, or ``within`` if that is smaller."""
    return _smallest(within, tokens, lambda window: window.prompt or 0)


def _smallest(within: Window, tokens: int, room: Callable[[Window], int]) -> Window:
    sizes = range(SMALLEST, tokens + _AROUND)
    size = sizes[bisect_left(sizes, tokens, key=lambda one: room(replace(within, tokens=one)))]
    return within if within.tokens is not None and within.tokens <= size else replace(within, tokens=size)
