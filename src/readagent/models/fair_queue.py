"""The calls that wait for a slot, shared out fairly between documents; and rates, so many calls in any minute."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from readagent.models.waiting import Notify

_MINUTE = 60.0


@dataclass(slots=True, eq=False)
class Sent:
    """When a call was sent, what it was estimated to count, and what it counts."""

    at: float
    estimate: int
    amount: float


class Rate:
    """A limit on the sum of amounts in any 60 seconds.

    Calls are spread: after each, the next one waits for that call's share of a minute. An amount above the limit is
    sent alone. Estimates that turn out too low on average are raised. Times are those of the caller's clock.
    """

    def __init__(self, most: int, unit: Literal["requests", "tokens"]) -> None:
        self.unit = unit
        self.reason = f"at most {most:,} {unit} per minute"
        self._most = most
        self._sent: deque[Sent] = deque()
        self._next: float | None = None
        self._estimated = self._counted = 0

    def ready(self, estimate: int, now: float) -> float:
        """Return the earliest time at which a call may be sent that counts about this much."""
        amount = estimate * self._factor
        while self._sent and self._sent[0].at + _MINUTE <= now:
            self._sent.popleft()
        at = now if self._next is None else max(now, self._next)
        excess = sum(sent.amount for sent in self._sent) + amount - self._most
        for sent in self._sent:
            if excess <= 0:
                break
            at = max(at, sent.at + _MINUTE)
            excess -= sent.amount
        return at

    def take(self, estimate: int, now: float) -> Sent:
        """Record that a call is sent now that counts about this much."""
        sent = Sent(now, estimate, estimate * self._factor)
        self._sent.append(sent)
        self._next = now + sent.amount * _MINUTE / self._most
        return sent

    def correct(self, sent: Sent, amount: int) -> None:
        """Record what a call really counted."""
        if self._next is not None:
            self._next += (amount - sent.amount) * _MINUTE / self._most
        sent.amount = amount
        self._estimated += sent.estimate
        self._counted += amount

    @property
    def _factor(self) -> float:
        """How many times the estimate a call counts on average, at least 1."""
        return max(1.0, self._counted / self._estimated) if self._estimated else 1.0


def rates(requests: int | None, tokens: int | None) -> Iterator[Rate]:
    """Yield the limits that are set."""
    if requests is not None:
        yield Rate(requests, "requests")
    if tokens is not None:
        yield Rate(tokens, "tokens")


_LEADING_STEPS = frozenset({"paginate", "read"})  # steps whose replies lead to further calls
_REMEMBERED = 1000  # documents; far fewer are read at once
_document: ContextVar[str] = ContextVar("readagent_document", default="")


@contextmanager
def part_of(document: str) -> Iterator[None]:
    """Let the calls that are made in the block, also in tasks that start there, count as calls for this document."""
    before = _document.set(document)
    try:
        yield
    finally:
        _document.reset(before)


@dataclass(slots=True, eq=False)
class Turn:
    """A call that waits or has been let through. ``era`` counts the pauses that came before it was let through.

    ``document`` is what the call is made for, and ``leads`` whether further calls depend on its reply.
    """

    tokens: int
    notify: Notify | None
    granted: asyncio.Future[None]
    document: str = ""
    leads: bool = False
    era: int = 0
    sent: list[tuple[Rate, Sent]] = field(default_factory=list)
    ticket: str = ""  # from a limiter
    used: int | None = None  # tokens, when the server has answered


class Documents:
    """The documents that calls are made for: how many calls of each are under way, and when each had its last turn."""

    def __init__(self) -> None:
        self._under_way = Counter[str]()
        self._since: dict[str, int] = {}  # the order of their last turns, or of when they came
        self._count = 0

    def turn(self, step: str, tokens: int, notify: Notify | None) -> Turn:
        """Return the turn of a call for the current document."""
        document, granted = _document.get(), asyncio.get_running_loop().create_future()
        if document not in self._since:
            self._seen(document)
        return Turn(tokens, notify, granted, document, step in _LEADING_STEPS)

    def _seen(self, document: str) -> None:
        self._count += 1
        self._since.pop(document, None)
        self._since[document] = self._count
        if len(self._since) > _REMEMBERED:
            del self._since[next(iter(self._since))]

    def next(self, waiting: Iterable[Turn]) -> Turn:
        """Return the call that goes first: one for the document with the fewest calls under way.

        Of several such documents, the one that has waited longest is next. Of the calls for one document, those that
        further calls depend on go first; otherwise it is first come, first served. No document waits forever.
        """
        return min(waiting, key=self._rank)

    def _rank(self, turn: Turn) -> tuple[int, int, bool]:
        return self._under_way[turn.document], self._since.get(turn.document, 0), not turn.leads

    def begin(self, turn: Turn) -> None:
        """Note that a call was let through."""
        self._under_way[turn.document] += 1
        self._seen(turn.document)

    def end(self, turn: Turn) -> None:
        """Note that a call has ended."""
        self._under_way[turn.document] -= 1
        if not self._under_way[turn.document]:
            del self._under_way[turn.document]
