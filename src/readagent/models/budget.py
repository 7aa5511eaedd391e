"""Budgeted: a hard limit on what a run may read or spend; it stops before the call that would exceed it."""

from __future__ import annotations

from dataclasses import dataclass

from readagent.core.model import Ask, Model, Reply
from readagent.core.trace import Usage
from readagent.core.words import count_words, estimate_tokens
from readagent.errors import BudgetExceededError, UsageError
from readagent.models.prices import Price


@dataclass(frozen=True, slots=True)
class Spent:
    """Words of prompts, tokens in and out, and US dollars."""

    words: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.words + other.words, self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.words - other.words, self.tokens - other.tokens, self.cost - other.cost)


class Budgeted:
    """A model that may be given only so many words, so many tokens, or so much money.

    What a prompt takes is set aside before it is sent, so that calls at the same time cannot exceed the limit
    together; what the reply says it took then stands in its place. Replies that were not paid for count nothing.
    """

    def __init__(
        self,
        model: Model,
        *,
        max_words: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        price: Price | None = None,
    ) -> None:
        if max_cost is not None and price is None:
            raise UsageError(
                f"the price of {model.name} is not known, so a limit of ${max_cost:g} cannot be kept",
                hint="add its price to the settings, or limit words or tokens instead",
            )
        self._model = model
        self._max_words = max_words
        self._max_tokens = max_tokens
        self._max_cost = max_cost
        self._price = price
        self._taken = Spent()
        self.spent = Spent()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """The model's reply, or BudgetExceededError before anything is sent."""
        reserved = self._reserve(ask)
        try:
            reply = await self._model.complete(ask)
        except BaseException:
            self._taken -= reserved
            raise
        actual = self._actual(ask, reply)
        self._taken += actual - reserved
        self.spent += actual
        return reply

    def _reserve(self, ask: Ask) -> Spent:
        if self._max_words is self._max_tokens is self._max_cost is None:
            return Spent()
        words = count_words(ask.prompt) if self._max_words is not None else 0
        tokens = estimate_tokens(ask.prompt)
        cost = self._price.cost(Usage(tokens)) if self._price is not None else 0.0
        wanted = Spent(words, tokens, cost)
        after = self._taken + wanted
        if self._max_words is not None and after.words > self._max_words:
            raise _exceeded(f"{self._max_words:,} words", f"{self.spent.words:,} words", "words")
        if self._max_tokens is not None and after.tokens > self._max_tokens:
            raise _exceeded(f"{self._max_tokens:,} tokens", f"{self.spent.tokens:,} tokens", "tokens")
        if self._max_cost is not None and after.cost > self._max_cost:
            raise _exceeded(f"${self._max_cost:.2f}", f"${self.spent.cost:.4f}", "cost")
        self._taken = after
        return wanted

    def _actual(self, ask: Ask, reply: Reply) -> Spent:
        if not reply.paid:
            return Spent()
        usage = reply.usage
        cost = usage.cost or (self._price.cost(usage) if self._price is not None else 0.0)
        words = count_words(ask.prompt) if self._max_words is not None else 0
        return Spent(words, usage.prompt_tokens + usage.reply_tokens, cost)


def _exceeded(limit: str, spent: str, flag: str) -> BudgetExceededError:
    return BudgetExceededError(
        f"the budget of {limit} is used up: {spent} so far, and the next call would exceed it",
        hint=f"all work is kept: run the same again with a larger --max-{flag}, and it goes on from here",
    )
