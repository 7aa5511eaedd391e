"""Cached: a model whose replies are stored, so that a second run resumes and nothing is paid for twice."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Protocol

from readagent.core.model import Ask, Material, Model, Reply
from readagent.models.completion import emit, wrap_listener
from readagent.models.waiting import Clock, InFlight, Leases, SystemClock, leased
from readagent.models.wire import fingerprint

_LATEST = 4096  # replies that are returned again if they were discarded


class Store(Protocol):
    """Stores replies under keys. ``put`` returns once the reply is safely stored."""

    def get(self, key: str) -> Reply | None: ...

    def put(self, key: str, model_name: str, ask: Ask, reply: Reply) -> None: ...

    def forget(self, key: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Paid:
    """A reply that was paid for, and the call that it came from."""

    ask: Ask
    reply: Reply
    call: InFlight


def ask_key(model_name: str, ask: Ask, run: int = 0, *, uses_material: bool = False) -> str:
    """Return the key of an ask: equal for asks that the same model would receive in the same form.

    ``run`` distinguishes repetitions of the same ask. A model that ``uses_material`` replies from the text of the
    memory, too, which the prompt need not show.
    """
    choice = ask.choice
    legal = None if choice is None else [choice.values, choice.least, choice.most, choice.texts]
    material = _content(ask.material) if uses_material else []
    picture = [sha256(ask.picture).hexdigest()] if ask.picture else []
    return fingerprint([model_name, run, ask.step, ask.prompt, legal, *material, *picture])


def _content(material: Material) -> list[object]:
    """Return what identifies the content of a material; nothing without a memory, since the prompt shows the rest."""
    memory = material.memory
    if memory is None:
        return []
    spans = [(page.start, page.end) for page in memory.pages]
    gists = [gist.text for gist in memory.gists]
    return [memory.document.id, spans, gists, material.opened, material.statements, material.words, material.kind]


class Cached:
    """A model whose replies are kept in a store.

    Concurrent equal asks share one call; with ``leases`` also those of other processes that use the same store. A call
    that was sent is completed and stored even if its caller is cancelled; ``drain`` waits for such calls. A reply that
    is discarded is no longer stored. If it is one of the latest since the last ``forget_discarded``, it is returned
    again until the next, so that nothing is paid for twice within a run. ``uses_material`` is whether the model
    computes replies from the material of an ask.
    """

    def __init__(
        self,
        model: Model,
        store: Store,
        *,
        run: int = 0,
        leases: Leases | None = None,
        clock: Clock | None = None,
        uses_material: bool = False,
    ) -> None:
        self._model = model
        self._store = store
        self._run = run
        self._leases = leases
        self._uses_material = uses_material
        self._clock = clock or SystemClock()
        self._calls: dict[str, InFlight] = {}
        self._tasks: set[asyncio.Task[Reply]] = set()
        self._discarded: dict[str, Reply] = {}
        self._new: dict[str, None] = {}  # keys of the latest replies that came within this run, the oldest first
        self._unclaimed: dict[str, _Paid] = {}  # replies that were paid for, and that nobody got yet

    @property
    def name(self) -> str:
        """The model's name, plus the run if it is not the first, since every run makes readings of its own."""
        return f"{self._model.name} run={self._run}" if self._run else self._model.name

    async def complete(self, ask: Ask) -> Reply:
        """Return the stored reply, or the model's reply, which is stored before it is returned."""
        key = ask_key(self._model.name, ask, self._run, uses_material=self._uses_material)
        known = self._discarded.get(key) or self._store.get(key)
        if known is not None:
            return emit(ask, self._claimed(key, known))
        call, listener = self._calls.get(key), None
        shared = call is not None
        if call is None:
            ask, listener = wrap_listener(ask)
            call = self._calls[key] = InFlight()
            call.task = asyncio.create_task(self._fetch(key, ask, call))
            self._tasks.add(call.task)
            call.task.add_done_callback(partial(self._finish, key, call))
        assert call.task is not None
        call.waiters += 1
        try:
            reply = self._claimed(key, await asyncio.shield(call.task))
        finally:
            if call.leave():
                self._forget(key, call)
            if listener is not None:
                listener.close()
        return emit(ask, reply) if shared else reply

    def _claimed(self, key: str, reply: Reply) -> Reply:
        """Return the reply as its caller gets it: paid for by the first who gets it, and possible to discard."""
        paid = self._unclaimed.pop(key, None) is not None

        def discard() -> None:
            if key in self._new:
                self._discarded[key] = reply
            self._store.forget(key)

        return replace(reply, paid=paid, discard=discard)

    def forget_discarded(self) -> None:
        """Forget the discarded replies: the next run asks again."""
        self._discarded.clear()
        self._new.clear()

    async def _fetch(self, key: str, ask: Ask, call: InFlight) -> Reply:
        """Return the model's reply, once it is stored, or that of another process which makes the same call."""
        call.bind()
        async with leased(self._leases, key, lambda: self._store.get(key), self._clock, ask.notify) as known:
            if known is not None:
                return emit(ask, replace(known, paid=False))
            reply = await self._model.complete(ask)
            self._new[key] = None
            if len(self._new) > _LATEST:  # a worker may read documents for days without a pause
                del self._new[next(iter(self._new))]
            self._store.put(key, self._model.name, ask, reply)
            if reply.paid:
                self._unclaimed[key] = _Paid(ask, reply, call)
            return reply

    def _finish(self, key: str, call: InFlight, task: asyncio.Task[Reply]) -> None:
        self._tasks.discard(task)
        self._forget(key, call)
        if not task.cancelled():
            task.exception()  # marks the error as retrieved: if nobody waits for it any more, asyncio would warn

    def _forget(self, key: str, call: InFlight) -> None:
        if self._calls.get(key) is call:
            del self._calls[key]

    async def settle(self) -> None:
        """Wait for calls whose callers are gone."""
        while tasks := [call.task for call in self._calls.values() if call.task is not None and not call.waiters]:
            await asyncio.wait(tasks)
            await asyncio.sleep(0)  # a call is forgotten by a callback of its task

    async def abandoned(self) -> list[tuple[Ask, Reply]]:
        """Wait for calls whose callers are gone, and return those that were paid for. They are not paid for again."""
        await self.settle()
        keys = [key for key, paid in self._unclaimed.items() if not paid.call.waiters]
        found = [self._unclaimed.pop(key) for key in keys]
        return [(paid.ask, paid.reply) for paid in found]

    async def drain(self, *, end: bool = False) -> None:
        """Wait until all calls in flight have completed or failed; replies that arrive are stored. Or end the calls."""
        while self._tasks:
            for task in self._tasks if end else ():
                task.cancel()
            await asyncio.wait(self._tasks)
