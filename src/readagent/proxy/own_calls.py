"""The proxy's own calls for one request: how many were sent, and how many may be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from readagent.core.model import Ask, Model, Reply
from readagent.errors import ReadAgentError

_BESIDES = 16  # calls besides those that are needed: reminders, and passages that are read in parts
_SHARE = 4  # of the calls that are needed: so many more are one in this many


class CallsSpentError(ReadAgentError):
    """A request for which no further call is made."""


@dataclass(slots=True)
class SentCalls:
    """How many calls were sent for a request, also those that failed or were repeated."""

    count: int = 0


_current: ContextVar[SentCalls | None] = ContextVar("readagent_proxy_sent_calls", default=None)


@contextmanager
def counted_calls() -> Iterator[SentCalls]:
    """Count the calls that are sent inside, also by tasks that are started there."""
    sent = SentCalls()
    token = _current.set(sent)
    try:
        yield sent
    finally:
        _current.reset(token)


def note_sent() -> None:
    """Note that a call is sent for the current request."""
    if (sent := _current.get()) is not None:
        sent.count += 1


class BoundedModel:
    """A model that is asked only so often for replies that are not known already.

    ``needed`` calls are expected. One in four of them may be repeated, and some more.
    """

    def __init__(self, model: Model, needed: int) -> None:
        self._model = model
        self._most = self._left = needed + needed // _SHARE + _BESIDES

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply; raise CallsSpentError if that would be a call too many."""
        if self._left <= 0:
            raise CallsSpentError(f"{self._most} calls were made for this request, and no more are made")
        self._left -= 1
        reply = await self._model.complete(ask)
        self._left += not reply.paid
        return reply
