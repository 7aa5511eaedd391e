"""Limited: as many calls at once as the server bears, whoever makes them; questions before reading, none starved."""

from __future__ import annotations

import asyncio
from collections import deque
from weakref import WeakKeyDictionary, WeakValueDictionary

from readagent.core.model import Ask, Model, Reply
from readagent.errors import RateLimitedError
from readagent.models.in_flight import waiting

_QUESTIONS = frozenset({"look_up", "respond", "walk", "act"})  # steps that somebody is waiting for
_IN_A_ROW = 3  # turns that questions have, while reading waits too, before reading has one


class Turns:
    """Who may call now: at most ``most`` at once, shared by all that are given it.

    It begins with ``start``, by default all; a full round of successes allows one more, a 429 halves the number. The
    429s of calls that were under way together halve it once. Questions and reading wait in lanes of their own, first
    come, first served: where both wait, questions have three turns of four.
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
        """How many calls may be under way now."""
        return int(self._limit)

    async def enter(self, step: str) -> int:
        """Wait for a turn; what comes back is to be handed in with ``refused``."""
        if self._active < self.limit and not (self._questions or self._reading):
            self._active += 1
            return self._halvings
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane = self._questions if step in _QUESTIONS else self._reading
        lane.append(turn)
        try:
            with waiting():
                await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()  # the turn had come: the next one gets it
            elif turn in lane:
                lane.remove(turn)
            raise
        return self._halvings

    def succeeded(self) -> None:
        """A call went well."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def refused(self, halvings: int) -> None:
        """A call that entered when so many halvings had been made met a 429."""
        if halvings == self._halvings:
            self._limit = max(1.0, self._limit / 2)
            self._halvings += 1

    def leave(self) -> None:
        """A call is over: those whose turn it is now may go."""
        self._active -= 1
        while self._active < self.limit and (self._questions or self._reading):
            turn = self._next()
            if not turn.done():
                self._active += 1
                turn.set_result(None)

    def _next(self) -> asyncio.Future[None]:
        if self._questions and (self._in_a_row < _IN_A_ROW or not self._reading):
            self._in_a_row += bool(self._reading)
            return self._questions.popleft()
        self._in_a_row = 0
        return self._reading.popleft()


class Limited:
    """A model with at most ``most`` calls under way, or with ``turns`` that it shares with others."""

    def __init__(self, model: Model, *, most: int = 8, start: int | None = None, turns: Turns | None = None) -> None:
        self._model = model
        self._turns = turns or Turns(most, start)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def limit(self) -> int:
        """How many calls may be under way now."""
        return self._turns.limit

    async def complete(self, ask: Ask) -> Reply:
        """The model's reply, once it is this ask's turn."""
        entered = await self._turns.enter(ask.step)
        try:
            reply = await self._model.complete(ask)
        except RateLimitedError:
            self._turns.refused(entered)
            raise
        else:
            self._turns.succeeded()
            return reply
        finally:
            self._turns.leave()


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[tuple[str, int], Turns]] = WeakKeyDictionary()


def shared_turns(server: str, most: int) -> Turns:
    """The turns at a server that all with the same limit share, as long as one of them lives, within this loop."""
    known = _shared.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    turns = known.get((server, most)) or Turns(most)
    known[server, most] = turns
    return turns
