"""Rate: at most so many requests, or tokens, in any minute, evenly spread."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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
