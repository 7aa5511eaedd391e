"""Spending: what the calls of a study cost, so that the user's limits hold for all of its runs together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from readagent.core.trace import Trace
from readagent.errors import BudgetExceededError
from readagent.models.budget import Budget

N = TypeVar("N", int, float)


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

    def remaining(self, budget: Budget) -> Budget:
        """Return what is left of a budget; raise BudgetExceededError if nothing is."""
        return Budget(_remaining(budget.tokens, self.tokens, "tokens"), _remaining(budget.cost, self.cost, "cost"))


def _remaining(limit: N | None, spent: N, name: str) -> N | None:
    if limit is None:
        return None
    if limit <= spent:
        raise BudgetExceededError(
            f"the budget of {limit:,} ({name}) is used up",
            hint=f"nothing is lost: run the same command again with a larger --max-{name} to continue",
        )
    return limit - spent
