"""Limited: bound the number of concurrent calls to a server. Questions go before reading, but never starve it."""

from __future__ import annotations

import asyncio
from collections import deque
from weakref import WeakKeyDictionary, WeakValueDictionary

from readagent.core.model import Ask, Model, Reply
from readagent.errors import RateLimitedError
from readagent.models.in_flight import nothing_sent

_QUESTION_STEPS = frozenset({"look_up", "respond", "walk", "act"})  # steps that somebody is waiting for
_QUESTIONS_IN_A_ROW = 3


class Slots:
    """At most ``most`` concurrent calls, shared by every model that is given this object.

    The limit starts at ``start`` (by default ``most``). A full round of successes raises it by one, a 429 halves it;
    the 429s of calls that ran at the same time halve it once. Questions and reading wait in two queues, each first
    come, first served. While both wait, three of four free slots go to questions.
    """

    def __init__(self, most: int, start: int | None = None) -> None:
        self._most = max(1, most)
        self._limit = float(min(self._most, max(1, most if start is None else start)))
        self._active = 0
        self._halvings = 0
        self._questions: deque[asyncio.Future[None]] = deque()
        self._reading: deque[asyncio.Future[None]] = deque()
        self._in_a_row = 0

    @property
    def limit(self) -> int:
        """The number of concurrent calls that are allowed now."""
        return int(self._limit)

    async def acquire(self, step: str) -> int:
        """Wait for a free slot. Pass the number that is returned to ``throttled`` after a 429."""
        if self._active < self.limit and not (self._questions or self._reading):
            self._active += 1
            return self._halvings
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._questions if step in _QUESTION_STEPS else self._reading
        queue.append(turn)
        try:
            with nothing_sent():
                await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()  # the slot was granted in the same moment: give it to the next
            elif turn in queue:
                queue.remove(turn)
            raise
        return self._halvings

    def succeeded(self) -> None:
        """Record a successful call."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def throttled(self, halvings: int) -> None:
        """Record a 429 for a call whose ``acquire`` returned this number."""
        if halvings == self._halvings:
            self._limit = max(1.0, self._limit / 2)
            self._halvings += 1

    def release(self) -> None:
        """Free the slot of a call that has ended, and grant free slots to those that wait."""
        self._active -= 1
        while self._active < self.limit and (self._questions or self._reading):
            turn = self._next()
            if not turn.done():
                self._active += 1
                turn.set_result(None)

    def _next(self) -> asyncio.Future[None]:
        if self._questions and (self._in_a_row < _QUESTIONS_IN_A_ROW or not self._reading):
            self._in_a_row += bool(self._reading)
            return self._questions.popleft()
        self._in_a_row = 0
        return self._reading.popleft()


class Limited:
    """A model that takes a slot for each call."""

    def __init__(self, model: Model, slots: Slots) -> None:
        self._model = model
        self._slots = slots

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's reply, once a slot is free."""
        halvings = await self._slots.acquire(ask.step)
        try:
            reply = await self._model.complete(ask)
        except RateLimitedError:
            self._slots.throttled(halvings)
            raise
        else:
            self._slots.succeeded()
            return reply
        finally:
            self._slots.release()


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[tuple[str, int], Slots]] = WeakKeyDictionary()


def shared_slots(server: str, most: int) -> Slots:
    """Return the slots for a server: the same object for equal arguments in one event loop, while anyone uses it."""
    known = _shared.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    slots = known.get((server, most)) or Slots(most)
    known[server, most] = slots
    return slots
