"""Cached: every reply is kept, so that running again resumes and nothing is paid twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Protocol

from readagent.core.model import Ask, Model, Reply
from readagent.models.in_flight import Flight
from readagent.models.streaming import heard_by, tell
from readagent.models.wire import fingerprint


class Store(Protocol):
    """Where replies are kept. ``put`` returns when the reply is safe."""

    def get(self, key: str) -> Reply | None: ...

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None: ...


class MemoryStore:
    """Keeps replies as long as the process lives."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}

    def get(self, key: str) -> Reply | None:
        return self.replies.get(key)

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None:
        self.replies[key] = reply


def ask_key(model_name: str, ask: Ask, run: int = 0) -> str:
    """The same for two asks that the same model would be told the same way; ``run`` tells repetitions apart."""
    choice = ask.choice
    legal = None if choice is None else [choice.values, choice.least, choice.most, choice.texts]
    return fingerprint([model_name, run, ask.step, ask.prompt, legal])


class Cached:
    """A model whose replies are kept in a store.

    Equal asks at the same time make one call. A call that was sent is finished and stored even if its asker is
    cancelled; ``drain`` waits for those.
    """

    def __init__(self, model: Model, store: Store, *, run: int = 0) -> None:
        self._model = model
        self._store = store
        self._run = run
        self._flights: dict[str, Flight] = {}
        self._tasks: set[asyncio.Task[Reply]] = set()

    @property
    def name(self) -> str:
        """The model's name, and the run where it is not the first: what is read in it is a reading of its own."""
        return f"{self._model.name} run={self._run}" if self._run else self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """The stored reply, or the model's, which is stored before it is handed out."""
        key = ask_key(self._model.name, ask, self._run)
        known = self._store.get(key)
        if known is not None:
            return tell(ask, replace(known, paid=False))
        flight = self._flights.get(key)
        if flight is not None:
            return tell(ask, replace(await self._wait(key, flight), paid=False))
        ask, hearing = heard_by(ask)
        try:
            return await self._wait(key, self._depart(key, ask))
        finally:
            if hearing is not None:
                hearing.close()

    def _depart(self, key: str, ask: Ask) -> Flight:
        flight = self._flights[key] = Flight()
        flight.task = asyncio.create_task(self._fetch(key, ask, flight))
        self._tasks.add(flight.task)
        flight.task.add_done_callback(lambda task: self._arrive(key, flight, task))
        return flight

    async def _fetch(self, key: str, ask: Ask, flight: Flight) -> Reply:
        flight.board()
        reply = await self._model.complete(ask)
        self._store.put(key, self._model.name, ask, reply)
        return reply

    def _arrive(self, key: str, flight: Flight, task: asyncio.Task[Reply]) -> None:
        self._tasks.discard(task)
        self._forget(key, flight)
        if not task.cancelled():
            task.exception()  # an error nobody waits for any more is not worth a warning

    def _forget(self, key: str, flight: Flight) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def _wait(self, key: str, flight: Flight) -> Reply:
        assert flight.task is not None
        flight.wanted += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            if flight.leave():
                self._forget(key, flight)

    async def drain(self) -> None:
        """Wait until every call under way has arrived or failed; replies that arrive are stored."""
        while self._tasks:
            await asyncio.wait(self._tasks)
