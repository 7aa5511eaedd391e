"""Retrying: repeat calls that failed. A storm is waited out as long as patience lasts; a fault gets a few attempts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from readagent.core.model import Ask, Model, Reply
from readagent.core.tokens import TokenCounter
from readagent.errors import (
    BadReplyError,
    ConnectionFailedError,
    ModelError,
    RateLimitedError,
    ReadAgentError,
    ServerFaultError,
    SlowReplyError,
)
from readagent.models.failures import UnreachableError
from readagent.models.in_flight import nothing_sent
from readagent.models.limits import Slots, Turn, backoff
from readagent.models.reply_sizes import ReplySizes
from readagent.models.streaming import wrap_listener
from readagent.models.waiting import Notify, log_wait, notify_wait

T = TypeVar("T")

PATIENCE = 1200.0  # seconds
_ATTEMPTS = 4  # at a call on which the server fails
_SLOW_ATTEMPTS = 2  # at a call whose reply takes too long
_NEVER_REACHED = 2  # attempts to reach a server that has never answered
_AT_ONCE = 10.0  # seconds; a connection that breaks later than this was lost during work on this very call


@dataclass(slots=True)
class _Failures:
    """The failures of one call so far; ``since`` is the time of the first that was part of a storm."""

    count: int = 0
    faults: int = 0
    since: float | None = None


class Retries:
    """Repeats calls that take turns in ``slots``.

    A storm is a server that limits requests, is overloaded, or cannot be reached any more: all its calls pause, and are
    repeated for up to ``patience`` seconds. Any other failure is a fault of one call, which is tried four times, or
    twice if the reply took too long. A server that has never been reached is given up after the second attempt.
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
        used: Callable[[T], int] | None = None,
        notify: Notify | None = None,
    ) -> T:
        """Return the first result, or raise the last error.

        ``tokens`` are those that the call is expected to use, and ``used`` tells them from the result.
        """
        with nothing_sent():  # cancels a call that nobody wants any more
            pass
        slots, failures = self.slots, _Failures()
        while True:
            turn = await slots.acquire(step, tokens=tokens, notify=notify, again=failures.count > 0)
            started = slots.clock.now()
            try:
                result = await make()
                slots.answered(turn, used(result) if used is not None else None)
                return result
            except ReadAgentError as error:
                failures.count += 1
                wait, reason = self._after(error, failures, turn, slots.clock.now() - started), _reason(error)
            finally:
                slots.release(turn)
            if wait:
                log_wait(wait, reason)
                notify_wait(notify, wait, reason)
                with nothing_sent():
                    await slots.clock.sleep(wait)

    def _after(self, error: ReadAgentError, failures: _Failures, turn: Turn, took: float) -> float:
        """Return how many seconds this call waits on its own, or raise the error. In a storm all calls pause."""
        slots, storm = self.slots, _is_storm(error, took)
        if isinstance(error, ConnectionFailedError):
            storm = storm and slots.reached
        elif isinstance(error, ModelError):
            slots.reached = True
            if not storm:
                slots.answered(turn)
        if not error.retryable:
            raise error
        if storm:
            self._pause(error, failures, turn)
            return 0.0
        failures.faults += 1
        if failures.faults >= _attempts(error):
            raise error
        return backoff(failures.faults)

    def _pause(self, error: ReadAgentError, failures: _Failures, turn: Turn) -> None:
        """Let all calls pause, or raise the error if the patience is at its end."""
        slots, after = self.slots, getattr(error, "retry_after", None)
        slots.pause(turn, self._bounded(after), _reason(error), halve=isinstance(error, RateLimitedError))
        now = slots.clock.now()
        failures.since = now if failures.since is None else failures.since
        failing = now - min(failures.since, slots.failing_since)
        if failing >= self._patience or (after or 0.0) > self._patience - failing:
            raise _out_of_patience(error, failing, after)

    def _bounded(self, after: float | None) -> float | None:
        """Return how long all calls pause: nobody waits longer than the patience."""
        return None if after is not None and after > self._patience else after


class Retrying:
    """A model whose calls take turns and are repeated after errors that may go away, see ``Retries``."""

    def __init__(self, model: Model, retries: Retries, *, counter: TokenCounter | None = None) -> None:
        self._model = model
        self._retries = retries
        self._counter = counter or TokenCounter()
        self._replies = ReplySizes()

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the model's first reply, or raise the last error."""
        ask, listener = wrap_listener(ask)

        async def attempt() -> Reply:
            if listener is not None:
                listener.restart()
            return await self._model.complete(ask)

        def used(reply: Reply) -> int:
            self._replies.add(ask.step, reply.usage.reply_tokens)
            return reply.usage.prompt_tokens + reply.usage.reply_tokens

        if self._retries.slots.counts_tokens:
            tokens = self._counter.count(ask.prompt) + self._replies.expected(ask.step)
        else:
            tokens = 0
        return await self._retries.call(attempt, step=ask.step, tokens=tokens, used=used, notify=ask.notify)


def _is_storm(error: ReadAgentError, took: float) -> bool:
    """Whether an error concerns all calls to the server, not just this one, which failed after ``took`` seconds."""
    match error:
        case RateLimitedError() | UnreachableError():
            return True
        case SlowReplyError():
            return False
        case ServerFaultError():
            return error.busy or error.retry_after is not None
        case ConnectionFailedError():
            return took < _AT_ONCE
        case _:
            return False


def _attempts(error: ReadAgentError) -> int:
    """Return how often a call is tried that fails with an error like this one, which is not part of a storm."""
    match error:
        case UnreachableError():
            return _NEVER_REACHED
        case SlowReplyError():
            return _SLOW_ATTEMPTS
        case _:
            return _ATTEMPTS


def _reason(error: ReadAgentError) -> str:
    """Return in a few words what a call waits for."""
    match error:
        case RateLimitedError():
            return "the server asks to slow down"
        case ServerFaultError():
            return "the server is busy" if _is_storm(error, 0.0) else "the server failed"
        case SlowReplyError():
            return "the server was too slow"
        case ConnectionFailedError():
            return "the connection to the server failed"
        case BadReplyError():
            return "the server sent a broken reply"
        case _:
            return "a call failed"


def _out_of_patience(error: ReadAgentError, failing: float, after: float | None) -> ReadAgentError:
    """Return the error with what was tried, and how to go on."""
    if isinstance(error, ServerFaultError):
        error.busy = True  # whatever it was asked
    if after is not None and after > failing:
        tried = f"the server asks to wait {duration(after)}, which is longer than the patience allows"
    else:
        tried = f"tried again for {duration(failing)}"
    error.args = (f"{error} ({tried})",)
    error.hint = "nothing is lost: run the same again later to continue, or set a longer --patience"
    return error


def duration(seconds: float) -> str:
    """Return a time in words: 40 s, 20 min, 3.5 h."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h".replace(".0", "")
