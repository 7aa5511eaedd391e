"""What the calls of a study really took, so that the user's limits hold for all of its runs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readagent.core.trace import Trace
from readagent.errors import BudgetExceededError


@dataclass(slots=True)
class Paid:
    """Tokens and dollars of calls that were made, not of replies that were known."""

    tokens: int = 0
    cost: float = 0.0

    def add(self, trace: Trace) -> None:
        """Count the calls of a trace."""
        usage = trace.paid
        self.tokens += usage.prompt_tokens + usage.reply_tokens
        self.cost += usage.cost or 0.0

    def left(self, limits: Mapping[str, Any]) -> dict[str, Any]:
        """What is left of limits by name, those that are set."""
        taken = {"max_tokens": self.tokens, "max_cost": self.cost}
        found = {name: limits[name] - taken[name] for name in taken if limits.get(name) is not None}
        for name, rest in found.items():
            if rest <= 0:
                raise BudgetExceededError(
                    f"the budget of {limits[name]:,} ({name.removeprefix('max_')}) is used up",
                    hint=f"all work is kept: run the same again with a larger --{name.replace('_', '-')}",
                )
        return found
