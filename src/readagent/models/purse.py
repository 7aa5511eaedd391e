"""Purse: a budget, what was spent of it, and what is reserved for calls in flight."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from readagent.core.trace import Usage
from readagent.errors import BudgetExceededError
from readagent.models.in_flight import nothing_sent
from readagent.models.prices import FREE, Price
from readagent.models.served_window import least_reply


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens (prompts and replies together), and US dollars."""

    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.tokens - other.tokens, self.cost - other.cost)


def spent_on(usage: Usage, price: Price) -> Spent:
    """Return what a call of this size costs."""
    return Spent(usage.prompt_tokens + usage.reply_tokens, price.cost(usage))


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent: tokens (prompts and replies together), and US dollars. None means no limit."""

    tokens: int | None = None
    cost: float | None = None

    def longest_reply(self, spent: Spent, price: Price) -> float:
        """Return the tokens of the longest reply that can be paid for after this was spent."""
        tokens = math.inf if self.tokens is None else float(self.tokens - spent.tokens)
        left = math.inf if self.cost is None else self.cost - spent.cost
        affordable = left * 1_000_000 / price.output if price.output else math.copysign(math.inf, left)
        return min(tokens, affordable)


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is set aside for a call: the ``most`` it can cost, what is ``expected``, and the tokens of its reply."""

    most: Spent
    expected: Spent
    reply: int


class Purse:
    """A budget, what was spent of it, and what is reserved for calls in flight. Models may share one.

    ``spent`` may be more than 0 at the beginning. ``on_change`` is called whenever ``charged`` changes.
    """

    def __init__(self, budget: Budget | None = None, spent: Spent | None = None) -> None:
        self.budget = budget or Budget()
        self.spent = spent or Spent()
        self.on_change: Callable[[], None] | None = None
        self._reserved: list[Reservation] = []
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def charged(self) -> Spent:
        """What was spent, together with the expected cost of calls in flight."""
        return sum((reserved.expected for reserved in self._reserved), self.spent)

    async def reserve(
        self, prompt: int, longest: int, expected: int, price: Price = FREE, *, least: int = 0
    ) -> Reservation:
        """Reserve a prompt and the longest reply that is allowed; raise BudgetExceededError if nothing useful fits.

        A call that does not fit waits for those in flight, which usually cost less than was reserved for them. A call
        that is alone gets a shorter reply. ``expected`` are the tokens of a usual reply, and ``least`` those that this
        one needs.
        """
        needed = spent_on(Usage(prompt), price)
        while True:
            taken = sum((reserved.most for reserved in self._reserved), self.spent)
            room = self.budget.longest_reply(taken + needed, price)
            if room >= longest or not self._reserved:
                break
            with nothing_sent():
                await self._settled()
        least = min(longest, max(least, least_reply(None)))
        if room < least:
            raise self._exceeded(spent_on(Usage(prompt, least), price))
        reply = int(min(room, longest))
        reserved = Reservation(
            spent_on(Usage(prompt, reply), price), spent_on(Usage(prompt, min(expected, reply)), price), reply
        )
        self._reserved.append(reserved)
        self._changed()
        return reserved

    def settle(self, reserved: Reservation, actual: Spent) -> None:
        """Replace what was reserved for a call with what it cost."""
        self._reserved = [other for other in self._reserved if other is not reserved]
        self.spent += actual
        self._changed()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    async def _settled(self) -> None:
        """Wait until a call in flight has ended."""
        settled = asyncio.get_running_loop().create_future()
        self._waiting.append(settled)
        await settled

    async def cut_short(self) -> BudgetExceededError:
        """Return the error for a reply that was cut because no longer one could be paid for.

        Calls in flight end first, so that it says what was spent on all of them.
        """
        while self._reserved:
            await self._settled()
        limit, _, so_far, hint = self._described(Spent())
        return BudgetExceededError(
            f"the budget of {limit} is too small for the last reply, which was cut; {so_far} spent so far", hint=hint
        )

    def _exceeded(self, wanted: Spent) -> BudgetExceededError:
        limit, needed, so_far, hint = self._described(wanted)
        return BudgetExceededError(
            f"the budget of {limit} is too small for the next call, which needs about {needed}; {so_far} spent so far",
            hint=hint,
        )

    def _described(self, wanted: Spent) -> tuple[str, str, str, str]:
        """Return the limit that counts, what is wanted, what was spent or is in flight, and a hint, in words."""
        budget, spent = self.budget, self.charged
        by_tokens = budget.tokens is not None and (budget.cost is None or (spent + wanted).tokens > budget.tokens)
        hint = "nothing is lost: to continue, run the same again with a larger budget (`Budget({}=…)`)"
        if by_tokens:
            return (f"{budget.tokens:,} tokens", f"{wanted.tokens:,} tokens", f"{spent.tokens:,} tokens",
                    hint.format("tokens"))  # fmt: skip
        return f"${budget.cost:g}", f"${wanted.cost:.4f}", f"${spent.cost:.4f}", hint.format("cost")

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()
