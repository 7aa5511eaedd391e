"""Retrying: repeat calls that failed. A storm is waited out as long as patience lasts; a fault gets a few attempts."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import TypeVar

from readagent.core.model import Ask, Model, Reply
from readagent.core.trace import Usage
from readagent.errors import (
    ConnectionFailedError,
    ModelError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    SlowReplyError,
)
from readagent.models.failures import (
    OversizedReplyError,
    UnreachableError,
    given_up,
    is_fault,
    is_of_no_use,
    of_this_call,
    out_of_patience,
    reason_for,
    too_long_a_wait,
    waited_together,
)
from readagent.models.fair_queue import Turn
from readagent.models.ledger import Ledger, Payer
from readagent.models.limits import Slots, backoff
from readagent.models.request import HARMLESS
from readagent.models.shared_limits import shared_patience
from readagent.models.streaming import wrap_listener
from readagent.models.waiting import Notify, log_wait, nothing_sent, notify_wait

T = TypeVar("T")

PATIENCE = 1200.0  # seconds
_ATTEMPTS = 4  # at a call on which the server fails
_LONG_ATTEMPTS = 2  # at a call whose reply takes too long, or has no end
_NEVER_REACHED = 2  # attempts to reach a server that has never answered
_STORM_ATTEMPTS = 6  # at a call on which a server is busy that answers other calls
_OTHERS = 3  # answers to other calls which show that the server works
_RATE_WINDOW = 60.0  # seconds; within this time, a limit on requests lets some calls through and refuses others
_AGAIN_FIRST = 2  # attempts after which a call waits behind the others, so that one of them finds out whether it works
_UNCHECKED = 3  # attempts before a small call finds out whether the server answers anything
_MOMENT = 0.001  # seconds
_AT_ONCE = 10.0  # seconds; a connection that breaks later than this was lost during work on this very call


@dataclass(slots=True)
class Call:
    """A call that takes turns and is repeated, and its failures so far.

    ``tokens`` are those that it is expected to use. ``check`` makes a small call, to
    find out whether the server answers anything, when it has not for a while. Without it, a server that fails is
    assumed to fail on this call only. ``faults`` are its own failures, and ``storms`` those that were part of a storm.
    """

    step: str = ""
    tokens: int = 0
    notify: Notify | None = None
    check: Callable[[], Awaitable[None]] | None = None
    faults: int = 0
    storms: int = 0
    since: float = 0.0  # the time of the first failure in a storm
    successes: int = 0  # of the server until then
    checked: bool = False  # the server has answered a small call since
    last: bool = False  # the patience is at its end, and this is the attempt after a small call

    @property
    def goes_first(self) -> bool:
        """Whether the next attempt goes before the calls that were never sent."""
        return self.faults > 0 or 0 < self.storms < _AGAIN_FIRST


class Retries:
    """Repeats calls that take turns in ``slots``.

    A storm is a server that limits requests, is overloaded, cannot be reached any more, or fails on everything although
    it has worked before: all its calls pause, and are repeated for up to ``patience`` seconds. If the server answers
    other calls meanwhile, or a small one that is sent to check that, it fails on this call only, which ends after six
    attempts or when the patience does, or after four attempts if the server neither limits requests nor is busy. Any
    other failure is a fault of one call, which is tried four times, or twice if the reply was too slow or too long. A
    server that has never been reached is given up after the second attempt. Calls that are made inside
    ``waiting_together`` also end when they have waited for so long together, or the server has failed on all of them
    for so long.
    """

    def __init__(self, slots: Slots, *, patience: float = PATIENCE) -> None:
        self.slots = slots
        self._patience = patience

    async def call(
        self,
        make: Callable[[], Awaitable[T]],
        *,
        step: str = "",
        tokens: int = 0,
        notify: Notify | None = None,
        check: Callable[[], Awaitable[None]] | None = None,
        used: Callable[[T], int | None] = lambda result: None,
    ) -> T:
        """Take turns for attempts until one succeeds and return its result, or raise the last error.

        ``used`` returns the tokens that a result has used. The other arguments are those of a ``Call``.
        """
        with nothing_sent():  # cancels a call that nobody wants any more
            pass
        if (shared := shared_patience()) is not None:
            shared.begin(self.slots)
        call, slots = Call(step, tokens, notify, check), self.slots
        while True:
            before = slots.successes
            turn = await slots.acquire(step, tokens=tokens, notify=notify, again=call.goes_first)
            if (closed := self._closed()) is not None:
                slots.release(turn)
                raise closed
            started, successes = slots.clock.now(), slots.successes
            unchecked = (call.storms >= _UNCHECKED or call.last) and not call.checked
            try:
                if check is not None and unchecked and successes == before:
                    await check()  # a small call that fails comes in place of an attempt
                    call.checked = True
                    slots.successes = successes = successes + 1
                    slots.answered(turn)
                result = await make()
                slots.successes += 1
                slots.closed = None
                slots.answered(turn, used(result))
                return result
            except ReadAgentError as error:
                storm = self._is_storm(error, slots.clock.now() - started) or (
                    check is not None and is_fault(error) and 0 < slots.successes == successes
                )
                wait, reason = self._after(error, call, turn, storm), reason_for(error)
            finally:
                slots.release(turn)
            if wait:
                log_wait(wait, reason)
                notify_wait(notify, wait, reason)
                with nothing_sent():
                    await slots.clock.sleep(wait)

    def _is_storm(self, error: ReadAgentError, took: float) -> bool:
        """Whether an error concerns all calls to the server, not just this one, which failed after ``took`` seconds."""
        match error:
            case UnreachableError():
                return self.slots.reached
            case RateLimitedError():
                return True
            case SlowReplyError():
                return False
            case ConnectionFailedError():
                return self.slots.reached and took < _AT_ONCE
            case ServerFaultError():
                return not is_fault(error)
            case _:
                return False

    def _after(self, error: ReadAgentError, call: Call, turn: Turn, storm: bool) -> float:
        """Return how many seconds this call waits on its own, or raise the error. In a storm all calls pause."""
        if isinstance(error, ModelError) and not isinstance(error, ConnectionFailedError):
            self.slots.reached = True
            if not storm:
                self.slots.answered(turn)
        if not error.retryable:
            raise error
        if storm:
            return self._pause(error, call, turn)
        call.faults += 1
        wait, shared = backoff(call.faults), shared_patience()
        counts = shared is not None and is_of_no_use(error)
        left = shared.left_after_fault(self.slots, call) if shared is not None and counts else math.inf
        if call.faults >= _attempts(error) or wait > left:
            raise given_up(error)
        return wait

    def _pause(self, error: ReadAgentError, call: Call, turn: Turn) -> float:
        """Let all calls pause, or raise the error if the patience is at its end, or only this call fails.

        A call on which a working server fails waits for longer than the others: the seconds are returned.
        """
        slots, after = self.slots, getattr(error, "retry_after", None)
        now = slots.clock.now()
        if not call.storms:
            call.since, call.successes = now, slots.successes
        call.storms += 1
        works = call.checked or slots.successes - call.successes >= _OTHERS
        if works:
            most = _ATTEMPTS if is_fault(error) else _STORM_ATTEMPTS
            failing = now - call.since
            left = self._patience if is_fault(error) else self._patience - failing
            if left < _MOMENT or (call.storms >= most and failing >= self._least(error)):
                raise given_up(error) if is_fault(error) else of_this_call(error, call.storms, failing)
        else:
            shared, since = shared_patience(), min(call.since, slots.storm_began())
            failing = now - since if shared is None else shared.failing(slots, since)
            left, all_fail = self._patience - failing, False
            if shared is not None and is_of_no_use(error):
                left = min(left, shared.left_after_fault(slots, call))
                all_fail = shared.fails_on_others
            left = 0.0 if left < _MOMENT else left  # a pause that is lost in rounding would not move the clock
            if left > 0 and (after or 0.0) > self._patience:
                error = too_long_a_wait(error, after or 0.0)
                slots.closed = now + (after or 0.0), copy(error)
                raise error
            if left <= 0 and (call.last or all_fail or not is_fault(error)):
                raise out_of_patience(error, failing)
            if left <= 0:
                call.last = True
                return 0.0
        if (shared := shared_patience()) is not None and not is_fault(error):
            left = min(left, shared.left(slots))
            if left < _MOMENT or (after or 0.0) > left:
                waited = shared.waited(slots)
                raise too_long_a_wait(error, after) if after and waited < 1 else waited_together(error, waited)
        slots.pause(turn, after, reason_for(error), most=left, halve=isinstance(error, RateLimitedError))
        own = min(left, backoff(call.storms)) if works else 0.0
        slots.note_wait(own)
        return own

    def _closed(self) -> ReadAgentError | None:
        """Return the error of a server that asked another call to wait for longer than the patience allows, if any."""
        if self.slots.closed is None:
            return None
        until, error = self.slots.closed
        return copy(error) if until - self.slots.clock.now() > self._patience else None

    def _least(self, error: ReadAgentError) -> float:
        """Return for how many seconds a call is tried at least before the failure is blamed on it."""
        return min(_RATE_WINDOW, self._patience) if isinstance(error, RateLimitedError) else 0.0


class Retrying:
    """A model whose calls take turns, are paid for, and are repeated after errors that may go away: see ``Retries``.

    ``on_send`` is called before each call.
    """

    def __init__(
        self,
        model: Model,
        retries: Retries,
        payer: Payer | None = None,
        *,
        on_send: Callable[[], None] = lambda: None,
    ) -> None:
        self._model = model
        self._retries = retries
        self._payer = payer or Payer(Ledger())
        self._on_send = on_send

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's first reply, or raise the last error."""
        self._on_send()
        ask, listener = wrap_listener(ask)
        checks = Usage()

        async def check() -> None:
            nonlocal checks
            async with self._payer.paying(HARMLESS) as payment:
                payment.reply = await self._model.complete(payment.ask)
                checks += payment.reply.usage

        async def attempt() -> Reply:
            async with self._payer.paying(ask) as payment:
                if listener is not None:
                    listener.restart()
                payment.reply = await self._model.complete(payment.ask)
                return payment.reply

        tokens = self._payer.expected(ask) if self._retries.slots.counts_tokens else 0
        reply = await self._retries.call(
            attempt,
            step=ask.step,
            tokens=tokens,
            notify=ask.notify,
            check=check,
            used=lambda reply: reply.usage.prompt_tokens + reply.usage.reply_tokens,
        )
        return replace(reply, usage=reply.usage + checks)


def _attempts(error: ReadAgentError) -> int:
    """Return how often a call is tried that fails with an error like this one, which is not part of a storm."""
    match error:
        case UnreachableError():
            return _NEVER_REACHED
        case SlowReplyError() | OversizedReplyError():
            return _LONG_ATTEMPTS
        case _:
            return _ATTEMPTS
