"""Budgeted: a hard limit on spending. It stops before the call that would exceed the limit."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.model import Ask, Model, Reply
from readagent.core.tokens import estimate_tokens
from readagent.core.trace import Usage
from readagent.errors import BudgetExceededError, UsageError
from readagent.models.prices import Price


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent: tokens (prompts and replies together), and US dollars. None means no limit."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens (prompts and replies together), and US dollars."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.tokens - other.tokens, self.cost - other.cost)


class Budgeted:
    """A model with a budget.

    The cost of a prompt is reserved before it is sent, so that calls at the same time cannot exceed the limit together.
    The usage that the reply reports then replaces the reservation. Replies that were not paid for cost nothing.
    """

    def __init__(self, model: Model, budget: Budget, *, price: Price | None = None) -> None:
        if budget.cost is not None and price is None:
            raise UsageError(
                f"the price of {model.name} is unknown, so the limit of ${budget.cost:g} cannot be enforced",
                hint="add its price to the settings, or set --max-tokens instead",
            )
        self._model = model
        self._budget = budget
        self._price = price
        self._taken = Spent()
        self.spent = Spent()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's reply, or raise BudgetExceededError before anything is sent."""
        reserved = self._reserve(ask)
        try:
            reply = await self._model.complete(ask)
        except BaseException:
            self._taken -= reserved
            raise
        actual = self._actual(reply)
        self._taken += actual - reserved
        self.spent += actual
        return reply

    def _reserve(self, ask: Ask) -> Spent:
        budget = self._budget
        if budget.tokens is None and budget.cost is None:
            return Spent()
        tokens = estimate_tokens(ask.prompt)
        cost = self._price.cost(Usage(tokens)) if self._price is not None else 0.0
        wanted = Spent(tokens, cost)
        after = self._taken + wanted
        if budget.tokens is not None and after.tokens > budget.tokens:
            raise _exceeded(
                f"{budget.tokens:,} tokens", f"{self.spent.tokens:,} tokens", f"{tokens:,} tokens", "tokens"
            )
        if budget.cost is not None and after.cost > budget.cost:
            raise _exceeded(f"${budget.cost:.2f}", f"${self.spent.cost:.4f}", f"${cost:.4f}", "cost")
        self._taken = after
        return wanted

    def _actual(self, reply: Reply) -> Spent:
        if not reply.paid:
            return Spent()
        usage = reply.usage
        cost = usage.cost or (self._price.cost(usage) if self._price is not None else 0.0)
        return Spent(usage.prompt_tokens + usage.reply_tokens, cost)


def _exceeded(limit: str, spent: str, needed: str, name: str) -> BudgetExceededError:
    return BudgetExceededError(
        f"the budget of {limit} is too small for the next call, which needs about {needed}; {spent} spent so far",
        hint=f"nothing is lost: to continue, run the same again with a larger budget (--max-{name})",
    )
