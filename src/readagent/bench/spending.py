"""Spending: what the calls of a study cost, so that the user's limits hold for all of its runs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readagent.core.trace import Trace
from readagent.errors import BudgetExceededError


@dataclass(slots=True)
class Spending:
    """Tokens and dollars of calls that were made. Replies from the cache cost nothing."""

    tokens: int = 0
    cost: float = 0.0

    def add(self, trace: Trace) -> None:
        """Count the calls of a trace."""
        usage = trace.paid
        self.tokens += usage.prompt_tokens + usage.reply_tokens
        self.cost += usage.cost or 0.0

    def remaining(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is left of the limits that are set, by name; raise BudgetExceededError where nothing is."""
        used = {"max_tokens": self.tokens, "max_cost": self.cost}
        found = {name: limits[name] - used[name] for name in used if limits.get(name) is not None}
        for name, rest in found.items():
            if rest <= 0:
                raise BudgetExceededError(
                    f"the budget of {limits[name]:,} ({name.removeprefix('max_')}) is used up",
                    hint=f"all work is kept: run the same command again with a larger --{name.replace('_', '-')}",
                )
        return found
