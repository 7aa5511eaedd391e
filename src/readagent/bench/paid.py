"""What the calls of a study really took, so that the user's limits hold for all of its runs together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from readagent.core.trace import Trace
from readagent.errors import BudgetExceededError
from readagent.settings import Settings

N = TypeVar("N", int, float)


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

    def left(self, settings: Settings) -> Settings:
        """Return the settings with what is left of their limits."""
        tokens = _left(settings.max_tokens, self.tokens, "tokens")
        return replace(settings, max_tokens=tokens, max_cost=_left(settings.max_cost, self.cost, "cost"))


def _left(limit: N | None, spent: N, name: str) -> N | None:
    if limit is None:
        return None
    if limit <= spent:
        raise BudgetExceededError(
            f"the budget of {limit:,} ({name}) is used up",
            hint=f"nothing is lost: run the same command again with a larger --max-{name} to continue",
        )
    return limit - spent
