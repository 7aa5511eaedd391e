"""Retrying: repeat calls after errors that may go away, with growing, jittered waits or as ``Retry-After`` says."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import stamina

from readagent.core.model import Ask, Model, Reply
from readagent.errors import ReadAgentError
from readagent.models.failures import UnreachableError
from readagent.models.in_flight import nothing_sent
from readagent.models.streaming import wrap_listener

T = TypeVar("T")

logging.getLogger("stamina").addHandler(logging.NullHandler())  # otherwise every retry is printed on stderr


class Retries:
    """Repeats a call after retryable errors: at most ``attempts`` times within ``timeout`` seconds.

    A server that cannot be reached and has never answered is given up after the second attempt.
    """

    def __init__(
        self, *, attempts: int = 8, timeout: float = 600.0, wait_initial: float = 0.5, wait_max: float = 60.0
    ) -> None:
        self._attempts = attempts
        self._timeout = timeout
        self._wait_initial = wait_initial
        self._wait_max = wait_max
        self._answered = False

    async def call(self, make: Callable[[], Awaitable[T]]) -> T:
        """Return the first result, or raise the last error."""
        with nothing_sent():  # cancels a call that nobody wants any more
            pass
        try:
            result = await make()  # most calls succeed at once and need no retry machinery
        except ReadAgentError as error:
            failed = iter([error])
        else:
            self._answered = True
            return result
        attempts = aiter(
            stamina.retry_context(
                on=self._retry_rule(),
                attempts=self._attempts,
                timeout=self._timeout,
                wait_initial=self._wait_initial,
                wait_max=self._wait_max,
            )
        )
        while True:
            with nothing_sent():
                attempt = await anext(attempts)
            with attempt:
                for first in failed:
                    raise first
                result = await make()
                self._answered = True
                return result

    def _retry_rule(self) -> Callable[[Exception], bool | float]:
        """Return the rule for one call: whether to retry after an error, or after how many seconds."""
        unreachable = 0

        def rule(error: Exception) -> bool | float:
            nonlocal unreachable
            if not (isinstance(error, ReadAgentError) and error.retryable):
                return False
            if isinstance(error, UnreachableError) and not self._answered:
                unreachable += 1
                return unreachable < 2
            after: float | None = getattr(error, "retry_after", None)
            if after is None:
                return True
            return after * random.uniform(1.0, 1.1) if after <= self._timeout else False

        return rule


class Retrying:
    """A model whose calls are repeated after retryable errors, see ``Retries``.

    A listener receives one text even if a streamed reply was cut off and started again, see ``StreamListener``.
    """

    def __init__(self, model: Model, retries: Retries | None = None) -> None:
        self._model = model
        self._retries = retries or Retries()

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

        return await self._retries.call(attempt)
