"""Payer: a hard limit on spending. A call is sent only if the longest reply that it allows can be paid for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from readagent.core.model import Ask, Reply
from readagent.core.tokens import TokenCounter
from readagent.errors import BadReplyError, ConnectionFailedError, ReadAgentError, SlowReplyError, UsageError
from readagent.models.failures import UnreachableError
from readagent.models.payments import report_paid
from readagent.models.prices import FREE, Price
from readagent.models.purse import Budget, Purse, Reservation, Spent, spent_on
from readagent.models.reply_sizes import ReplySizes
from readagent.models.served_window import MAX_REPLY_TOKENS

_TEMPLATE = 128  # tokens that servers add to a prompt


@dataclass(slots=True)
class Payment:
    """The ask as it can be paid for, and the reply to it, once it is there."""

    ask: Ask
    reply: Reply | None = None


class Payer:
    """Pays for the calls of a model from a purse.

    Before a call is sent, its prompt and the longest reply that it allows are reserved. ``longest`` returns the tokens
    of that reply to a prompt of so many tokens; near the end of the budget the call allows a shorter one. What the
    reply reports then replaces what was reserved. A refused call and a cached reply cost nothing. For a reply that
    broke off, its prompt and a usual reply count, and for one that took too long, all that was reserved.
    """

    def __init__(
        self,
        purse: Purse,
        *,
        price: Price | None = None,
        counter: TokenCounter | None = None,
        longest: Callable[[int], int] = lambda size: MAX_REPLY_TOKENS,
        title: str = "",
    ) -> None:
        if purse.budget.cost is not None and price is None:
            raise UsageError(
                f"the price of {title or 'the model'} is unknown, "
                f"so the limit of ${purse.budget.cost:g} cannot be enforced",
                hint="add its price to the settings, or set `Budget(tokens=…)` instead",
            )
        self._purse = purse
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
        purse, size = self._purse, self._size(ask)
        longest = self._longest(size)
        prompt = size + size // 20 + _TEMPLATE  # an estimate may be a little low
        expected = self._replies.expected(ask.step)
        reserved = await purse.reserve(prompt, longest, expected, self._price, least=ask.min_reply)
        limited = purse.budget != Budget()
        payment = Payment(replace(ask, max_reply=reserved.reply) if limited else ask)
        try:
            yield payment
        except BaseException as error:
            purse.settle(reserved, _cost_of(error, reserved))
            raise
        assert payment.reply is not None
        purse.settle(reserved, self._actual(ask, payment.reply))
        if payment.reply.finish == "length" and reserved.reply < longest:
            raise await purse.cut_short()

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
        case SlowReplyError():
            return reserved.most
        case ConnectionFailedError() | BadReplyError():
            return reserved.expected
        case ReadAgentError():
            return Spent()
        case _:
            return reserved.expected
