"""Limited: as many calls at once as the server bears; first come, first served."""

from __future__ import annotations

import asyncio
from collections import deque

from readagent.core.model import Ask, Model, Reply
from readagent.errors import RateLimitedError
from readagent.models.flight import waiting


class Limited:
    """A model with at most ``most`` calls under way.

    It begins with ``start``; a full round of successes allows one more, a 429 halves the number. The 429s of calls
    that were under way together halve it once.
    """

    def __init__(self, model: Model, *, most: int = 8, start: int = 4) -> None:
        self._model = model
        self._most = max(1, most)
        self._limit = float(min(self._most, max(1, start)))
        self._active = 0
        self._halvings = 0
        self._queue: deque[asyncio.Future[None]] = deque()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def limit(self) -> int:
        """How many calls may be under way now."""
        return int(self._limit)

    async def complete(self, ask: Ask) -> Reply:
        """The model's reply, once it is this ask's turn."""
        await self._enter()
        halvings = self._halvings
        try:
            reply = await self._model.complete(ask)
        except RateLimitedError:
            if halvings == self._halvings:
                self._limit = max(1.0, self._limit / 2)
                self._halvings += 1
            raise
        else:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            return reply
        finally:
            self._leave()

    async def _enter(self) -> None:
        if not self._queue and self._active < self.limit:
            self._active += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            with waiting():
                await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # the turn had come: the next one gets it
            elif turn in self._queue:
                self._queue.remove(turn)
            raise

    def _leave(self) -> None:
        self._active -= 1
        while self._queue and self._active < self.limit:
            turn = self._queue.popleft()
            if not turn.done():
                self._active += 1
                turn.set_result(None)
