"""Decide which pages to open, from the scores of all pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from readagent.core.model import Hint

_SHARE = 0.2  # of the best page's score that a page needs to be opened too
_MIN_SCORE = 0.05  # a page with a lower score is no better than an average one


def pages_to_open(hints: Sequence[Hint], most: int) -> list[int]:
    """Return the pages worth opening, best first: at least one, even if no page stands out."""
    least = _SHARE * hints[0].score
    return [hint.page for hint in hints[:most] if hint.score >= least] or [hints[0].page]


def next_page(hints: Sequence[Hint], hints_after: Sequence[Hint], opened: Collection[int]) -> int | None:
    """Return the page that adds most to those opened, or None if no other page is relevant enough.

    ``hints`` has the scores without any page opened, ``hints_after`` those given the pages that are ``opened``.
    """
    least = max(_SHARE * hints[0].score, _MIN_SCORE)
    best = next((hint for hint in hints_after if hint.page not in opened), None)
    return best.page if best is not None and best.score >= least else None
