"""Loops: the same action on the same page, again and again."""

from __future__ import annotations

from collections import Counter

from readagent_browse.action import Action
from readagent_browse.live.observe import Observation
from readagent_browse.render import render

_MOST = 3  # times that an action may be taken on one and the same page
AGAIN = "the page was the same when this was done before"


class Loops:
    """Counts how often each action was taken on a page with the same address and content."""

    def __init__(self) -> None:
        self._taken: Counter[tuple[str, int, Action]] = Counter()

    def count(self, seen: Observation, action: Action) -> int:
        """Count an action that is about to be taken, and return how often it was taken before on this page."""
        key = (seen.url, hash(render(seen.snapshot.root)), action)
        self._taken[key] += 1
        return self._taken[key] - 1

    @staticmethod
    def is_stuck(before: int) -> bool:
        """Return whether an action that was taken so often should not be taken again."""
        return before >= _MOST
