"""Budgeted: a hard limit on spending. It stops before the call that would exceed the limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from readagent.core.model import Ask, Model, Reply
from readagent.core.tokens import TokenCounter
from readagent.core.trace import Usage
from readagent.errors import BadReplyError, BudgetExceededError, ConnectionFailedError, ReadAgentError, UsageError
from readagent.models.failures import UnreachableError
from readagent.models.in_flight import nothing_sent
from readagent.models.prices import Price
from readagent.models.reply_sizes import ReplySizes


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent: tokens (prompts and replies together), and US dollars. None means no limit."""

    tokens: int | None = None
    cost: float | None = None

    def allows(self, spent: Spent) -> bool:
        """Return whether this much may be spent."""
        return (self.tokens is None or spent.tokens <= self.tokens) and (self.cost is None or spent.cost <= self.cost)


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens (prompts and replies together), and US dollars."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.tokens - other.tokens, self.cost - other.cost)


class Purse:
    """A budget, what was spent of it, and what is reserved for calls in flight. Models may share one.

    ``spent`` may be more than 0 at the beginning. ``on_spent`` is called whenever it grows.
    """

    def __init__(self, budget: Budget | None = None, spent: Spent | None = None) -> None:
        self.budget = budget or Budget()
        self.spent = spent or Spent()
        self.on_spent: Callable[[], None] | None = None
        self._reserved = Spent()
        self._waiting: list[asyncio.Future[None]] = []

    async def reserve(self, wanted: Spent) -> None:
        """Reserve what a call needs; raise BudgetExceededError if it does not fit.

        If it would fit but for what is reserved, wait: calls in flight may cost less than expected, or fail.
        """
        while not self.budget.allows(self.spent + self._reserved + wanted):
            if not self.budget.allows(self.spent + wanted):
                raise self._exceeded(wanted)
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            with nothing_sent():
                await settled
        self._reserved += wanted

    def settle(self, reserved: Spent, actual: Spent) -> None:
        """Replace what was reserved for a call with what it cost."""
        self._reserved -= reserved
        if actual != Spent():
            self.spent += actual
            if self.on_spent is not None:
                self.on_spent()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    def _exceeded(self, wanted: Spent) -> BudgetExceededError:
        budget, spent = self.budget, self.spent
        if budget.tokens is not None and (spent + wanted).tokens > budget.tokens:
            name, limit = "tokens", f"{budget.tokens:,} tokens"
            needed, so_far = f"{wanted.tokens:,} tokens", f"{spent.tokens:,} tokens"
        else:
            name, limit = "cost", f"${budget.cost:g}"
            needed, so_far = f"${wanted.cost:.4f}", f"${spent.cost:.4f}"
        return BudgetExceededError(
            f"the budget of {limit} is too small for the next call, which needs about {needed}; {so_far} spent so far",
            hint=f"nothing is lost: to continue, run the same again with a larger budget (--max-{name})",
        )


class Budgeted:
    """A model that pays from a purse.

    The expected cost of a call is reserved before it is sent: its prompt, and a reply as long as earlier ones. What the
    reply reports then replaces that. A refused call and a cached reply cost nothing; for a reply that broke off, what
    was reserved counts.
    """

    def __init__(
        self, model: Model, purse: Purse, *, price: Price | None = None, counter: TokenCounter | None = None
    ) -> None:
        if purse.budget.cost is not None and price is None:
            raise UsageError(
                f"the price of {model.name} is unknown, so the limit of ${purse.budget.cost:g} cannot be enforced",
                hint="add its price to the settings, or set --max-tokens instead",
            )
        self._model = model
        self._purse = purse
        self._price = price
        self._counter = counter or TokenCounter()
        self._replies = ReplySizes()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's reply, or raise BudgetExceededError before anything is sent."""
        reserved = self._expected(ask)
        await self._purse.reserve(reserved)
        try:
            reply = await self._model.complete(ask)
        except BaseException as error:
            self._purse.settle(reserved, reserved if _was_served(error) else Spent())
            raise
        self._purse.settle(reserved, self._actual(ask, reply))
        return reply

    def _expected(self, ask: Ask) -> Spent:
        if self._purse.budget == Budget():
            return Spent()
        usage = Usage(self._counter.count(ask.prompt), self._replies.expected(ask.step))
        return Spent(usage.prompt_tokens + usage.reply_tokens, self._cost(usage))

    def _actual(self, ask: Ask, reply: Reply) -> Spent:
        if not reply.paid:
            return Spent()
        usage = reply.usage
        self._replies.add(ask.step, usage.reply_tokens)
        return Spent(usage.prompt_tokens + usage.reply_tokens, usage.cost or self._cost(usage))

    def _cost(self, usage: Usage) -> float:
        return 0.0 if self._price is None else self._price.cost(usage)


def _was_served(error: BaseException) -> bool:
    """Whether the server may have worked on a call that ended in this error."""
    if isinstance(error, UnreachableError):
        return False
    return isinstance(error, ConnectionFailedError | BadReplyError) or not isinstance(error, ReadAgentError)
