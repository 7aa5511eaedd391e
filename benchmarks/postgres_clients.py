"""The clients of `postgres.py`: processes that ask questions, or only store what questions leave, as long as told."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from postgres_parts import person

from readagent import Library, ReadAgent
from readagent.core.model import Ask, Reply
from readagent.core.question import Answer, Question
from readagent.core.trace import Trace
from readagent.testing import Skimmer

_STARTING = 900.0  # seconds
_LATE = 120.0  # seconds after which a client that does not answer is counted as failed


@dataclass(frozen=True, slots=True)
class Done:
    """What clients did: how often in a second, how long each took, the CPU time for one, and how many clients failed.

    ``busy`` is the percentage of the cores that clients and server used.
    """

    rate: float
    waits: Sequence[float]
    client_cpu: float
    server_cpu: float
    busy: float
    failed: int


class Crowd:
    """Processes that have both libraries open, and wait for work. They are forked after everything is imported."""

    def __init__(self, places: Sequence[str], clients: int) -> None:
        self._places, self._number = places, clients
        self._clients: list[tuple[BaseProcess, Connection]] = []

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["__main__", __name__])
        os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # without it nothing is imported before the fork
        for number in range(self._number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_client, args=(self._places, number, theirs), daemon=True)
            process.start()
            theirs.close()
            self._clients.append((process, ours))
        started = [one for _, one in self._clients if _said(one, _STARTING) is not None]
        if len(started) < self._number:
            self.__exit__(None, None, None)
            raise SystemExit(f"only {len(started)} of {self._number} clients have started")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, ours in self._clients:
            ours.close()  # it ends by itself
            process.join(_LATE)

    def work(self, kind: str, place: str, clients: int, seconds: float, cpu: Callable[[], float] | None) -> Done:
        """Let some of them work at once for so many seconds. ``cpu`` returns the CPU seconds of the server."""
        before, began = cpu() if cpu is not None else 0.0, time.perf_counter()
        some = [one for _, one in self._clients[:clients]]
        for one in some:
            one.send((kind, place, seconds))
        said = [_said(one, seconds + _LATE) for one in some]
        took, served = time.perf_counter() - began, (cpu() if cpu is not None else 0.0) - before
        told = [one for one in said if one is not None]
        waits = [wait for one in told for wait in one["waits"]]
        used, number = sum(one["cpu"] for one in told), max(1, len(waits))
        return Done(
            rate=sum(len(one["waits"]) / one["seconds"] for one in told),
            waits=waits,
            client_cpu=1000 * used / number,
            server_cpu=1000 * served / number,
            busy=100 * (used + served) / (took * (os.cpu_count() or 1)),
            failed=len(said) - len(told),
        )


def _said(client: Connection, patience: float) -> Any:
    """Return what a client says next; None if it says nothing in time, or has ended."""
    try:
        return client.recv() if client.poll(patience) else None
    except (EOFError, ConnectionError):
        return None


# In the process of a client


class _Client:
    """A library that is open, and the two kinds of work on it."""

    def __init__(self, place: str, number: int, opened: ExitStack) -> None:
        self._place, self._number, self._turn = place, number, 0
        self._library = opened.enter_context(Library(place))
        self._agent = opened.enter_context(ReadAgent(Skimmer(), library=self._library))
        self._names = [row.id for row in self._library.documents()]

    def asks(self) -> None:
        """Ask a question of one of the documents, with its memory from the library."""
        self._turn += 1
        memory = self._library.memory(self._names[(self._number * 31 + self._turn * 7) % len(self._names)])
        assert memory is not None
        year = f"{self._number * 100_000 + self._turn} of {self._place[:6]}"
        self._agent.ask(memory, f"What does {person(self._turn)} do in year {year}?")

    def stores(self) -> None:
        """Store what a question and its replies leave in the library, without asking."""
        self._turn += 1
        leases = self._library.leases
        assert leases is not None
        for step in ("look_up", "respond"):
            key = hashlib.sha256(f"{self._number} {self._turn} {step} {time.time_ns()}".encode()).hexdigest()
            assert self._library.get(key) is None
            assert leases.take(key)
            self._library.put(key, "m", Ask(step, "prompt " * 2000), Reply("reply"))
            leases.release(key)
        answer = Answer(Question("Who?"), "Ilse.", None, (1,), (), 0.9, Trace())
        name = self._names[(self._number * 31 + self._turn * 7) % len(self._names)]
        self._library.keep_answer(name, "", answer, model="m")


def _client(places: Sequence[str], number: int, told: Connection) -> None:
    """Be one client: open both libraries, and do what is told, until nobody is there to tell.

    It is a session of its own, as each process of the server is: Linux may divide the CPU time by session.
    """
    os.setsid()
    with ExitStack() as opened, suppress(EOFError):
        clients = {place: _Client(place, number, opened) for place in places}
        for one in clients.values():
            one.asks()
        told.send("ready")
        while True:
            kind, place, seconds = told.recv()
            told.send(_worked(getattr(clients[place], kind), seconds))


def _worked(work: Callable[[], None], seconds: float) -> dict[str, Any]:
    waits = []
    began, used = time.perf_counter(), time.process_time()
    while not waits or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        work()
        waits.append(1000 * (time.perf_counter() - start))
    return {"waits": waits, "seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
