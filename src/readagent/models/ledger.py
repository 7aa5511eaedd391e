"""Budgets: what was spent, what is reserved for calls in flight, who is told, and a model that never exceeds them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from readagent.core.model import Ask, Reply
from readagent.core.tokens import TokenCounter
from readagent.core.trace import Usage
from readagent.errors import (
    BadReplyError,
    BudgetExceededError,
    ConnectionFailedError,
    CutPromptError,
    LibraryError,
    ReadAgentError,
    SlowReplyError,
    UsageError,
)
from readagent.models.prices import FREE, Price, ReplySizes
from readagent.models.refusal import UnreachableError
from readagent.models.request import MAX_REPLY_TOKENS, least_reply
from readagent.models.waiting import nothing_sent


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


class Ledger:
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


OnPaid = Callable[[Usage], None]
_on_paid: ContextVar[OnPaid | None] = ContextVar("readagent_on_paid", default=None)


@contextmanager
def payments_to(on_paid: OnPaid) -> Iterator[None]:
    """Call ``on_paid`` for each paid call that begins in the block, also in tasks that start there."""
    before = _on_paid.set(on_paid)
    try:
        yield
    finally:
        _on_paid.reset(before)


def report_paid(usage: Usage) -> None:
    """Report what a call of the current task has cost."""
    on_paid = _on_paid.get()
    if on_paid is not None:
        on_paid(usage)


_SPENT = "were spent; everything is kept"


def note_spending(error: ReadAgentError, calls: int, paid: Usage) -> None:
    """Add to an error what was spent before it, in place of an earlier note on that.

    There is no such note if the error says so itself, or if the library could not keep what was paid for.
    """
    if hasattr(error, "__notes__"):
        error.__notes__ = [note for note in error.__notes__ if not note.endswith(_SPENT)]
    tokens = paid.prompt_tokens + paid.reply_tokens
    if tokens and not isinstance(error, BudgetExceededError | LibraryError):
        error.add_note(f"{'1 call' if calls == 1 else f'{calls:,} calls'} and {tokens:,} tokens {_SPENT}")


_TEMPLATE = 128  # tokens that servers add to a prompt


@dataclass(slots=True)
class Payment:
    """The ask as it can be paid for, and the reply to it, once it is there."""

    ask: Ask
    reply: Reply | None = None


class Payer:
    """Pays for the calls of a model, and notes that in a ledger.

    Before a call is sent, its prompt and the longest reply that it allows are reserved. ``longest`` returns the tokens
    of that reply to a prompt of so many tokens; near the end of the budget the call allows a shorter one. What the
    reply reports then replaces what was reserved. A refused call and a cached reply cost nothing. For a reply that
    broke off, its prompt and a usual reply count, and for one that took too long, all that was reserved.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        price: Price | None = None,
        counter: TokenCounter | None = None,
        longest: Callable[[int], int] = lambda size: MAX_REPLY_TOKENS,
        title: str = "",
    ) -> None:
        if ledger.budget.cost is not None and price is None:
            raise UsageError(
                f"the price of {title or 'the model'} is unknown, "
                f"so the limit of ${ledger.budget.cost:g} cannot be enforced",
                hint="add its price to the settings, or set `Budget(tokens=…)` instead",
            )
        self._ledger = ledger
        self._price = price or FREE
        self._counter = counter or TokenCounter()
        self._longest = longest
        self._replies = ReplySizes()

    def expected(self, ask: Ask) -> int:
        """Return the tokens that a call is expected to use."""
        return self._size(ask) + self._replies.expected(ask.step)

    def _size(self, ask: Ask) -> int:
        return self._counter.count(ask.prompt) + ask.picture_tokens

    @asynccontextmanager
    async def paying(self, ask: Ask) -> AsyncIterator[Payment]:
        """Pay for the call that is made in the block, or raise BudgetExceededError, usually before the block begins."""
        ledger, size = self._ledger, self._size(ask)
        longest = self._longest(size)
        prompt = size + size // 20 + _TEMPLATE  # an estimate may be a little low
        expected = self._replies.expected(ask.step)
        reserved = await ledger.reserve(prompt, longest, expected, self._price, least=ask.min_reply)
        limited = ledger.budget != Budget()
        payment = Payment(replace(ask, max_reply=reserved.reply) if limited else ask)
        try:
            yield payment
        except BaseException as error:
            ledger.settle(reserved, _cost_of(error, reserved))
            if isinstance(error, CutPromptError):
                report_paid(Usage(error.prompt_total, error.reply_total, cost=error.cost))
            raise
        assert payment.reply is not None
        ledger.settle(reserved, self._actual(ask, payment.reply))
        if payment.reply.finish == "length" and reserved.reply < longest:
            raise await ledger.cut_short()

    def _actual(self, ask: Ask, reply: Reply) -> Spent:
        if not reply.paid:
            return Spent()
        usage = reply.usage
        self._replies.add(ask.step, usage.reply_tokens)
        spent = spent_on(usage, self._price)
        cost = usage.cost or spent.cost
        report_paid(replace(usage, cost=cost or usage.cost))  # None if the price is unknown
        return Spent(spent.tokens, cost)


def _cost_of(error: BaseException, reserved: Reservation) -> Spent:
    """Return what a call may have cost that ended in this error."""
    match error:
        case UnreachableError():
            return Spent()
        case CutPromptError():
            return Spent(error.prompt_total + error.reply_total, error.cost or 0.0)
        case SlowReplyError():
            return reserved.most
        case ConnectionFailedError() | BadReplyError():
            return reserved.expected
        case ReadAgentError():
            return Spent()
        case _:
            return reserved.expected
