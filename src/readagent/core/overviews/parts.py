"""Divide pages into consecutive parts of about the same length, at chapters where they begin nearby."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from readagent.core.memory import GistMemory

_NEAR = 0.35  # of a part that its end may move to reach the beginning of a chapter


def divide(memory: GistMemory, numbers: Sequence[int], count: int) -> list[list[int]]:
    """Return these pages in at most ``count`` parts with about as many words each."""
    words = [memory.pages[number].words for number in numbers]
    ends, total = [0], sum(words)
    for one in words:
        ends.append(ends[-1] + one)
    chapters = [at for at, number in enumerate(numbers) if at and _begins_chapter(memory, number)]
    cuts = [0]
    for part in range(1, count):
        wanted = total * part / count
        at = min(range(1, len(numbers) + 1), key=lambda one: abs(ends[one] - wanted), default=len(numbers))
        near = [one for one in chapters if abs(ends[one] - wanted) <= _NEAR * total / count]
        at = min(near, key=lambda one: abs(ends[one] - wanted), default=at)
        if cuts[-1] < at < len(numbers):
            cuts.append(at)
    return [list(numbers[start:end]) for start, end in pairwise([*cuts, len(numbers)]) if start < end]


def _begins_chapter(memory: GistMemory, number: int) -> bool:
    """Return whether a page begins with a heading, or a document begins there."""
    page = memory.pages[number]
    paragraph = memory.document.paragraph_at(page.start)
    return (paragraph is not None and paragraph.heading > 0 and paragraph.start >= page.start - 1) or any(
        page.start <= part.start < page.end for part in memory.parts
    )
