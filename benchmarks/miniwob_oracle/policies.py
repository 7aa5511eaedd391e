"""The policy for a task, chosen by its instruction."""

from __future__ import annotations

import re

from .clicking import POLICIES as CLICKING
from .dragging import POLICIES as DRAGGING
from .filling import POLICIES as FILLING
from .games import POLICIES as GAMES
from .lists import POLICIES as LISTS
from .mail import FREELY
from .mail import POLICIES as MAIL
from .seen import Intent, Seen
from .travel import POLICIES as TRAVEL
from .widgets import POLICIES as WIDGETS

_POLICIES = (*DRAGGING, *WIDGETS, *GAMES, *MAIL, *LISTS, *TRAVEL, *FILLING, *CLICKING, *FREELY)


def decide(seen: Seen) -> Intent:
    """Return the next action; raise LookupError without a policy for the instruction, or if the page does not fit."""
    for pattern, policy in _POLICIES:
        if found := re.search(pattern, seen.instruction):
            try:
                return policy(seen, found)
            except (StopIteration, IndexError, ValueError) as error:
                raise LookupError(f"the page does not fit the instruction: {seen.instruction}\n{seen.page}") from error
    raise LookupError(f"the oracle has no policy for: {seen.instruction}")
