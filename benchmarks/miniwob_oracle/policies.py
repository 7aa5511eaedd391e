"""Which policy solves a task, by the words of its instruction."""

from __future__ import annotations

import re

from .clicking import POLICIES as CLICKING
from .filling import POLICIES as FILLING
from .lists import POLICIES as LISTS
from .mail import POLICIES as MAIL
from .seen import Intent, Seen
from .travel import POLICIES as TRAVEL

_POLICIES = (*MAIL, *LISTS, *TRAVEL, *FILLING, *CLICKING)


def decide(seen: Seen) -> Intent:
    """The next thing to do; an instruction that no policy is for is an error, and so is a page that does not fit it."""
    for pattern, policy in _POLICIES:
        if found := re.search(pattern, seen.instruction):
            try:
                return policy(seen, found)
            except (StopIteration, IndexError, ValueError) as error:
                raise LookupError(f"what is shown does not do for: {seen.instruction}\n{seen.page}") from error
    raise LookupError(f"the oracle has no policy for: {seen.instruction}")
