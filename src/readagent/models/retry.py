"""Retrying: what may succeed on a second try is tried again, with growing, jittered waits or as the server says."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import stamina

from readagent.core.model import Ask, Model, Reply
from readagent.errors import ReadAgentError
from readagent.models.failures import UnreachableError
from readagent.models.in_flight import waiting
from readagent.models.streaming import heard_by

T = TypeVar("T")

logging.getLogger("stamina").addHandler(logging.NullHandler())  # or each retry would be printed on stderr


class Patience:
    """How often a call to a server is made again after errors that pass: at most ``attempts`` times within ``timeout``.

    A server that has never answered and cannot be reached is given up after the second attempt.
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
        """The first result that is not an error; the last error where there is none."""
        with waiting():  # given up here, if nobody wants it any more
            pass
        try:
            result = await make()  # most calls succeed at once, and need none of what follows
        except ReadAgentError as error:
            failed = iter([error])
        else:
            self._answered = True
            return result
        attempts = aiter(
            stamina.retry_context(
                on=self._judge(),
                attempts=self._attempts,
                timeout=self._timeout,
                wait_initial=self._wait_initial,
                wait_max=self._wait_max,
            )
        )
        while True:
            with waiting():
                attempt = await anext(attempts)
            with attempt:
                for first in failed:
                    raise first
                result = await make()
                self._answered = True
                return result

    def _judge(self) -> Callable[[Exception], bool | float]:
        """For one call: whether an error is worth another attempt, or after how many seconds it is."""
        unreachable = 0

        def judge(error: Exception) -> bool | float:
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

        return judge


class Retrying:
    """A model that is asked again after errors that pass, as ``Patience`` says.

    A listener hears one text, also where a streamed reply broke off and came again (see ``Hearing``).
    """

    def __init__(
        self,
        model: Model,
        *,
        attempts: int = 8,
        timeout: float = 600.0,
        wait_initial: float = 0.5,
        wait_max: float = 60.0,
    ) -> None:
        self._model = model
        self._patience = Patience(attempts=attempts, timeout=timeout, wait_initial=wait_initial, wait_max=wait_max)

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """The first reply that is not an error; the last error where there is none."""
        ask, hearing = heard_by(ask)

        async def attempt() -> Reply:
            if hearing is not None:
                hearing.restart()
            return await self._model.complete(ask)

        return await self._patience.call(attempt)
