"""Slots: whose turn it is to call a server, and when. Questions go before reading, but never starve it.

``SharedLimits`` are slots for the calls of many processes.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from typing import Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

from readagent.models.fair_queue import Documents, Rate, Turn, rates
from readagent.models.waiting import Alarm, Clock, Notify, SystemClock, nothing_sent

_QUESTION_STEPS = frozenset({"look_up", "respond", "direct", "check", "walk", "act"})  # these are waited for
_QUESTIONS_IN_A_ROW = 3
_LONGEST_WAIT = 60.0  # seconds between two attempts, where the server does not ask for more
_SAME_STORM = 180.0  # seconds; a failure that comes later than this after the last one starts a new storm


def backoff(failures: int) -> float:
    """Return how many seconds to wait after this many failures in a row: growing, with jitter."""
    return random.uniform(0.5, 1.0) * min(_LONGEST_WAIT, 2.0 ** min(failures, 10))


class Limiter(Protocol):
    """Decides when calls may be sent that many processes make together."""

    async def admit(self, step: str, tokens: int) -> str:
        """Wait until a call may be sent that is expected to use this many tokens, and return its ticket."""
        ...

    def pause(self, ticket: str, seconds: float, reason: str) -> None:
        """Stop all calls for a while, since the server asked for it in its answer to this one."""
        ...

    def done(self, ticket: str, used: int | None) -> None:
        """Note that a call has ended. It used this many tokens; None if the server did not answer it."""
        ...


class Slots:
    """At most ``most`` concurrent calls, shared by everything that is given this object.

    A pause stops all calls. After it one call is sent as a probe, and the others follow when the server has answered
    that. A full round of answers raises the number of concurrent calls by one; a pause that was asked for halves it.
    Failures of calls that ran at the same time count once.

    Questions and reading wait in two queues; while both wait, three of four turns go to questions. Each queue is shared
    out fairly between documents, see ``Documents``. ``limits`` bound the requests and tokens per minute. A ``limiter``
    is asked before every call; other processes ask it, too.
    """

    def __init__(
        self, most: int, *, limits: Iterable[Rate] = (), clock: Clock | None = None, limiter: Limiter | None = None
    ) -> None:
        self._limiter = limiter
        self.clock = clock or SystemClock()
        self.reached = False  # whether the server ever answered
        self.successes = 0
        self.waited = 0.0  # seconds in which calls waited because one had failed; those at the same time count once
        self._waits_until = 0.0
        self._failing_since = 0.0
        self._most = max(1, most)
        self._limit = float(self._most)
        self._rates = tuple(limits)
        self._active = 0
        self._documents = Documents()
        self._questions, self._reading = list[Turn](), list[Turn]()
        self._in_a_row = 0
        self._era = self._failures = 0
        self._last_failure = 0.0
        self._paused_until: float | None = None
        self._reason = ""
        self._recovering = False  # from the beginning of a pause until the server answers
        self._probe: Turn | None = None
        self._alarm = Alarm(self.clock, self._grant)

    @property
    def limit(self) -> int:
        """The number of concurrent calls that are allowed now, apart from pauses."""
        return int(self._limit)

    @property
    def counts_tokens(self) -> bool:
        """Whether the tokens of calls matter."""
        return self._limiter is not None or any(rate.unit == "tokens" for rate in self._rates)

    async def acquire(self, step: str = "", *, tokens: int = 0, notify: Notify | None = None) -> Turn:
        """Wait for the turn of a call, which is expected to use this many tokens."""
        turn = self._documents.turn(step, tokens, notify)
        queue = self._questions if step in _QUESTION_STEPS else self._reading
        queue.append(turn)
        try:
            self._grant()
            if not turn.granted.done():
                self._alarm.tell(notify)
                with nothing_sent():
                    await turn.granted
        except asyncio.CancelledError:
            if turn.granted.done() and not turn.granted.cancelled():
                self.release(turn)  # it was granted in the same moment
            elif turn in queue:
                queue.remove(turn)
                self._grant()
            raise
        if self._limiter is not None:
            try:
                with nothing_sent():
                    turn.ticket = await self._limiter.admit(step, tokens)
            except BaseException:
                self.release(turn)
                raise
        return turn

    def succeeded(self, turn: Turn, tokens: int | None = None) -> None:
        """Record that a call succeeded, which used this many tokens, if that is known."""
        self.successes += 1
        self.answered(turn, tokens)

    def answered(self, turn: Turn, tokens: int | None = None) -> None:
        """Record that the server answered a call, which used this many tokens, if that is known."""
        self.reached = True
        turn.used = tokens or 0
        if tokens is not None:
            for rate, sent in turn.sent:
                if rate.unit == "tokens":
                    rate.correct(sent, tokens)
        if turn.era == self._era:
            self._recovering, self._failures = False, 0
            self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def storm_began(self) -> float:
        """Return since when the server has been failing: now, if it is not known to fail."""
        now = self.clock.now()
        return self._failing_since if self._failures and now - self._last_failure <= _SAME_STORM else now

    def pause(self, turn: Turn, after: float, reason: str, *, most: float, halve: bool) -> None:
        """Stop all calls, since this one failed: for ``after`` seconds; if that is 0, for longer after each failure.

        A pause lasts ``most`` seconds at most. ``halve`` allows only half as many concurrent calls from now on.
        """
        now = self.clock.now()
        if turn.era == self._era:
            self._failing_since = self.storm_began()
            self._era += 1
            self._failures += 1
            self._recovering, self._reason = True, reason
            self._limit = max(1.0, self._limit / 2) if halve else self._limit
            wait = backoff(self._failures) if after < 1 else after * random.uniform(1.0, 1.1)
            self._paused_until = now + min(wait, most)
            if self._limiter is not None and halve:
                self._limiter.pause(turn.ticket, min(wait, most), reason)
        elif self._paused_until is not None:
            self._paused_until = max(self._paused_until, now + min(after, most))
        self._last_failure = now
        self.note_wait((self._paused_until or now) - now)

    def note_wait(self, seconds: float) -> None:
        """Note that a call waits for so many seconds from now on."""
        now = self.clock.now()
        self.waited += max(0.0, now + seconds - max(now, self._waits_until))
        self._waits_until = max(now + seconds, self._waits_until)

    def release(self, turn: Turn) -> None:
        """End the turn of a call, and let others through."""
        if self._limiter is not None and turn.ticket:
            self._limiter.done(turn.ticket, turn.used)
            turn.ticket = ""
        self._active -= 1
        self._documents.end(turn)
        if turn is self._probe:
            self._probe = None
        self._grant()

    def _grant(self) -> None:
        """Let calls through as long as there is room; set an alarm if the next one has to wait for a time."""
        while (queue := self._next()) and self._has_room():
            now, turn = self.clock.now(), self._documents.next(queue)
            if turn.granted.done():  # it was cancelled a moment ago
                queue.remove(turn)
                continue
            at, reason = self._opens(turn, now)
            if at > now:
                if self._alarm.set(at, reason):
                    for waiting in (*self._questions, *self._reading):
                        self._alarm.tell(waiting.notify)
                return
            queue.remove(turn)
            self._in_a_row = self._in_a_row + bool(self._reading) if queue is self._questions else 0
            self._let_through(turn, now)
        self._alarm.clear()

    def _next(self) -> list[Turn]:
        """Return the queue whose turn it is; an empty one if no call waits."""
        if self._questions and (self._in_a_row < _QUESTIONS_IN_A_ROW or not self._reading):
            return self._questions
        return self._reading

    def _has_room(self) -> bool:
        return self._probe is None if self._recovering else self._active < self.limit

    def _opens(self, turn: Turn, now: float) -> tuple[float, str]:
        """Return when a call may be sent, and why not earlier."""
        at, reason = now, ""
        if self._paused_until is not None and self._paused_until > now:
            at, reason = self._paused_until, self._reason
        for rate in self._rates:
            ready = rate.ready(turn.tokens if rate.unit == "tokens" else 1, now)
            if ready > at:
                at, reason = ready, rate.reason
        return at, reason

    def _let_through(self, turn: Turn, now: float) -> None:
        turn.era = self._era
        turn.sent = [(rate, rate.take(turn.tokens if rate.unit == "tokens" else 1, now)) for rate in self._rates]
        self._active += 1
        self._documents.begin(turn)
        if self._recovering:
            self._probe = turn
        turn.granted.set_result(None)


_Key = tuple[str, int, int | None, int | None]
_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[_Key, Slots]] = WeakKeyDictionary()


def shared_slots(server: str, most: int, requests: int | None = None, tokens: int | None = None) -> Slots:
    """Return the slots for a server: the same object for equal arguments in one event loop, while anyone uses it."""
    known = _shared.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    key = (server, most, requests, tokens)
    slots = known.get(key) or Slots(most, limits=rates(requests, tokens))
    known[key] = slots
    return slots


LIFETIME = 30.0  # seconds without a sign of life after which the calls of a worker no longer count


class SharedLimits:
    """At most ``most`` concurrent calls of all workers together, and so many requests and tokens per minute.

    A call is known by a ticket that its worker chooses. The calls of a worker that gives no sign of life for a while
    are forgotten, so that a worker that was killed does not keep their slots.
    """

    def __init__(
        self, most: int, requests: int | None = None, tokens: int | None = None, *, clock: Clock | None = None
    ) -> None:
        self._slots = Slots(most, limits=rates(requests, tokens), clock=clock)
        self._granted: dict[str, dict[str, Turn]] = {}
        self._waiting: dict[tuple[str, str], asyncio.Task[object]] = {}
        self._seen: dict[str, float] = {}

    @property
    def active(self) -> int:
        """The number of calls that were let through and have not ended."""
        return sum(map(len, self._granted.values()))

    async def admit(self, worker: str, ticket: str, step: str, tokens: int) -> None:
        """Wait until this call of a worker may be sent."""
        self.alive(worker)
        task = asyncio.current_task()
        assert task is not None
        self._waiting[worker, ticket] = task
        try:
            turn = await self._slots.acquire(step, tokens=tokens)
        finally:
            del self._waiting[worker, ticket]
        self._granted.setdefault(worker, {})[ticket] = turn

    def pause(self, worker: str, ticket: str, seconds: float, reason: str) -> None:
        """Stop the calls of all workers for a while, since the server asked for it in its answer to this one."""
        turn = self._granted.get(worker, {}).get(ticket)
        if turn is not None:
            self._slots.pause(turn, seconds, reason, most=1.1 * seconds, halve=True)

    def done(self, worker: str, ticket: str, used: int | None) -> None:
        """Note that a call has ended, or that its worker no longer waits for it."""
        if (waiting := self._waiting.get((worker, ticket))) is not None:
            waiting.cancel()
        turn = self._granted.get(worker, {}).pop(ticket, None)
        if turn is not None:
            if used is not None:
                self._slots.answered(turn, used)
            self._slots.release(turn)

    def alive(self, worker: str) -> None:
        """Note that a worker is alive, and forget those that have not been for a while."""
        now = self._slots.clock.now()
        self._seen[worker] = now
        for other, seen in list(self._seen.items()):
            if now - seen > LIFETIME:
                self.forget(other)

    def forget(self, worker: str) -> None:
        """Forget the calls of a worker that is gone."""
        self._seen.pop(worker, None)
        for ticket in [ticket for owner, ticket in self._waiting if owner == worker]:
            self._waiting[worker, ticket].cancel()
        for turn in self._granted.pop(worker, {}).values():
            self._slots.release(turn)
