"""Retrying: repeat calls that failed. A storm is waited out as long as patience lasts; a fault gets a few attempts."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

from readagent.core.model import Ask, Model, Reply
from readagent.core.trace import Usage
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ModelError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    SlowReplyError,
    UsageError,
)
from readagent.models.completion import wrap_listener
from readagent.models.fair_queue import Turn
from readagent.models.ledger import Ledger, Payer
from readagent.models.limits import Slots, backoff
from readagent.models.refusal import UnreachableError, is_fault
from readagent.models.request import HARMLESS
from readagent.models.waiting import Notify, log_wait, nothing_sent, notify_wait
from readagent.models.wire import OversizedReplyError

T = TypeVar("T")

PATIENCE = 1200.0  # seconds
_ATTEMPTS = 4  # at a call on which the server fails
_LONG_ATTEMPTS = 2  # at a call whose reply takes too long, or has no end
_SHARED_ATTEMPTS = 3  # at most, at a call for which somebody waits
_NEVER_REACHED = 2  # attempts to reach a server that has never answered
_STORM_ATTEMPTS = 6  # at a call on which a server is busy that answers other calls
_OTHERS = 3  # answers to other calls which show that the server works
_RATE_WINDOW = 60.0  # seconds; within this time, a limit on requests lets some calls through and refuses others
_UNCHECKED = 3  # attempts before a small call finds out whether the server answers anything
_MOMENT = 0.001  # seconds; a pause that is lost in rounding would not move the clock
_AT_ONCE = 10.0  # seconds; a connection that breaks later than this was lost during work on this very call


@dataclass(slots=True)
class _Patience:
    """The seconds that calls may wait together, from the first of them on.

    A server that fails, and neither limits requests nor is busy, is tried for ``faults`` seconds. What other calls have
    waited before does not count.
    """

    seconds: float
    faults: float
    began: float | None = None  # when the first call began,
    before: float = 0.0  # and what calls had waited then

    def begin(self, slots: Slots) -> None:
        """Note that a call begins."""
        if self.began is None:
            self.began, self.before = slots.clock.now(), slots.waited


_together: ContextVar[_Patience | None] = ContextVar("readagent_patience", default=None)


@contextmanager
def waiting_together(seconds: float, faults: float = math.inf) -> Iterator[None]:
    """Let the calls that are made inside, also by tasks that are started there, wait for so many seconds in all.

    A server that fails is given up after ``faults`` seconds.
    """
    token = _together.set(_Patience(seconds, faults))
    try:
        yield
    finally:
        _together.reset(token)


@dataclass(slots=True)
class _Call:
    """A call and its failures so far. ``faults`` are its own, and ``storms`` those that were part of a storm."""

    shared: _Patience | None  # with other calls
    faults: int = 0
    storms: int = 0
    since: float = 0.0  # the time of the first failure
    successes: int = 0  # of the server until then
    checked: bool = False  # the server has answered a small call since
    is_fault: bool = False  # the last failure was neither a limit nor a busy server

    @property
    def attempts(self) -> int:
        """How often a call is tried on which the server fails."""
        return _ATTEMPTS if self.shared is None else _SHARED_ATTEMPTS

    @property
    def in_doubt(self) -> bool:
        """Whether a small call should find out whether the server fails on this one only."""
        at_once = self.shared is not None and self.is_fault  # somebody waits, and not for long
        return not self.checked and self.storms >= (1 if at_once else _UNCHECKED)


class Retries:
    """Repeats calls that take turns in ``slots``.

    A storm is a server that limits requests, is overloaded, cannot be reached any more, or fails on everything although
    it has worked before: all its calls pause, and are repeated for up to ``patience`` seconds. If the server answers
    other calls meanwhile, or a small one that is sent to check that, it fails on this call only, which ends after six
    attempts or when the patience does, or after four attempts if the server neither limits requests nor is busy. Any
    other failure is a fault of one call, which is tried four times, or twice if the reply was too slow or too long. A
    server that has never been reached is given up after the second attempt. Calls that are made inside
    ``waiting_together`` also end when they have waited for so long together, or the server has failed for so long, and
    have three attempts instead of four.
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

        ``tokens`` are those that the call is expected to use, and ``used`` returns those that a result has used.
        ``check`` makes a small call, to find out whether the server answers anything, when it has not for a while.
        Without it, a server that fails is assumed to fail on this call only.
        """
        with nothing_sent():  # cancels a call that nobody wants any more
            pass
        call, slots = _Call(_together.get()), self.slots
        if call.shared is not None:
            call.shared.begin(slots)
        while True:
            before = slots.successes
            turn = await slots.acquire(step, tokens=tokens, notify=notify)
            started = slots.clock.now()
            try:
                if check is not None and call.in_doubt and slots.successes == before:
                    await check()  # a small call that fails comes in place of an attempt
                    call.checked = True
                    slots.succeeded(turn)
                before = slots.successes
                result = await make()
                slots.succeeded(turn, used(result))
                return result
            except ReadAgentError as error:
                reason = _reason(error)
                storm = self._is_storm(error, slots.clock.now() - started) or (
                    check is not None and is_fault(error) and 0 < slots.successes == before
                )
                wait = self._after(error, call, turn, storm)
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
            case RateLimitedError():
                return True
            case ServerFaultError():
                return not is_fault(error)
            case SlowReplyError():
                return False
            case ConnectionFailedError():
                return self.slots.reached and (isinstance(error, UnreachableError) or took < _AT_ONCE)
            case _:
                return False

    def _after(self, error: ReadAgentError, call: _Call, turn: Turn, storm: bool) -> float:
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
        if call.faults >= min(_attempts(error), call.attempts):
            raise _given_up(error)
        return backoff(call.faults)

    def _pause(self, error: ReadAgentError, call: _Call, turn: Turn) -> float:
        """Let all calls pause, or raise the error if the patience is at its end, or only this call fails.

        A call on which a working server fails waits for longer than the others: the seconds are returned.
        """
        slots, after = self.slots, getattr(error, "retry_after", None) or 0.0
        now = slots.clock.now()
        if not call.storms:
            call.since, call.successes = now, slots.successes
        call.storms += 1
        call.is_fault = is_fault(error)
        works = call.checked or slots.successes - call.successes >= _OTHERS
        failing = now - (call.since if works else self._failing_since(call))
        left = self._patience - failing
        of_no_use = call.is_fault or isinstance(error, ConnectionFailedError)  # waiting may not mend it
        if call.shared is not None and not works and of_no_use:
            left = min(left, call.shared.faults - failing)
        if works and call.is_fault and (left < _MOMENT or call.storms >= call.attempts):
            raise _given_up(error)
        least = min(_RATE_WINDOW, self._patience) if isinstance(error, RateLimitedError) else 0.0
        if works and (left < _MOMENT or (call.storms >= _STORM_ATTEMPTS and failing >= least)):
            raise _of_this_call(error, call.storms, failing)
        if left < _MOMENT:
            raise _ended(error, f"tried again for {_duration(failing)}")
        asked = f"the server asks to wait {_duration(after)}, which is longer than the patience allows"
        if after > self._patience and not works:
            raise _ended(error, asked)
        if call.shared is not None and not call.is_fault:
            waited = slots.waited - call.shared.before
            left = min(left, call.shared.seconds - waited)
            if left < _MOMENT or after > left:
                together = f"calls have waited {_duration(waited)} in all, and would have to wait longer"
                raise _ended(error, asked if after and waited < 1 else together)
        slots.pause(turn, after, _reason(error), most=left, halve=isinstance(error, RateLimitedError))
        own = min(left, backoff(call.storms)) if works else 0.0
        slots.note_wait(own)
        return own

    def _failing_since(self, call: _Call) -> float:
        """Return since when the server fails on everything, as far as calls that wait together have noticed."""
        since = min(call.since, self.slots.storm_began())
        return since if call.shared is None else max(since, call.shared.began or 0.0)


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
                reply = await self._model.complete(payment.ask)
                if not isinstance(reply, Reply):  # of somebody's own model
                    raise UsageError(f"the model {self._model.name} returned {reply!r:.80} instead of a Reply")
                payment.reply = reply
                return reply

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


def _reason(error: ReadAgentError) -> str:
    """Return in a few words what a call waits for."""
    match error:
        case RateLimitedError():
            return "the server asks to slow down"
        case ServerFaultError():
            return "the server failed" if is_fault(error) else "the server is busy"
        case SlowReplyError():
            return "the server was too slow"
        case ConnectionFailedError():
            return "the connection to the server failed"
        case BadReplyError():
            return "the server sent a broken reply"
        case _:
            return "a call failed"


def _ended(error: ReadAgentError, tried: str) -> ReadAgentError:
    """Return the error of a server for which the patience is at its end, with how to continue."""
    if isinstance(error, ServerFaultError):
        error.busy = True  # whatever it was asked
    error.args = (f"{error} ({tried})",)
    error.hint = "nothing is lost: run the same again later to continue, or set a longer `patience`"
    return error


def _given_up(error: ReadAgentError) -> ReadAgentError:
    """Return the error of a server that was reached, with a hint that says how to continue."""
    if not isinstance(error, UnreachableError):
        error.hint = "; ".join(filter(None, ("nothing is lost: run the same again to continue", error.hint)))
    return error


def _of_this_call(error: ReadAgentError, attempts: int, failing: float) -> ServerFaultError:
    """Return the error of a server that answers other calls, but has not answered this one for so many seconds."""
    tried = f"tried {attempts} times in {_duration(failing)}, while other calls were answered"
    failed = ServerFaultError(f"{error} ({tried})")
    failed.response = error.response if isinstance(error, ModelError) else None
    return failed


def _duration(seconds: float) -> str:
    """Return a time in words: 40 s, 20 min, 3.5 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h".replace(".0", "")
