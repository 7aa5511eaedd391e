"""Reading a corpus on Ray: workers are actors, and one actor keeps the limits of the server. Only this uses Ray.

The corpus itself is in the library. If an actor or its machine fails, another one is started, and sources whose worker
is gone are claimed again. If this process fails, its actors end, and the next command goes on.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import secrets
import signal
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from readagent.advice import missing_extra
from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.corpus.worker import Worker
from readagent.errors import ReadAgentError, UsageError
from readagent.library import Library
from readagent.library.corpora import TRIES
from readagent.models.limits import SharedLimits
from readagent.settings import Settings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report to its makers
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # otherwise it warns that this will be the default

try:
    import ray
    from ray.exceptions import RayActorError, RayError
except ImportError:
    raise missing_extra("a corpus on several workers", "Ray", "ray") from None

LOCAL = "local"  # in place of an address: a cluster on this machine that ends with this process
_NAMESPACE = "readagent"
_LOOK = 1.0  # seconds between two looks at the workers
_ENDING = 30.0  # seconds that workers have to finish their calls
_RESTARTS = 5  # of each worker, without any source that was finished meanwhile
_MEMORY = 100_000_000  # bytes for objects that Ray's processes share; hardly anything is
_LOGGER = logging.getLogger(__name__)
_WAITING = 100_000  # calls that may wait for the limits


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is to do: read this corpus with these settings.

    ``all_parallel`` is the most concurrent calls of all workers together, and the rates of the settings are also those
    of all workers. ``at_once`` sources are read at a time by each.
    """

    settings: Settings
    plan: Plan
    corpus: str
    at_once: int | None = None
    tries: int = TRIES
    all_parallel: int | None = None


class _Limits:
    """An actor that keeps the limits for the calls of all workers."""

    def __init__(self, most: int, requests: int | None, tokens: int | None) -> None:
        self._limits = SharedLimits(most, requests, tokens)

    async def admit(self, worker: str, ticket: str, step: str, tokens: int) -> None:
        await self._limits.admit(worker, ticket, step, tokens)

    async def pause(self, worker: str, ticket: str, seconds: float, reason: str) -> None:
        self._limits.pause(worker, ticket, seconds, reason)

    async def done(self, worker: str, ticket: str, used: int | None) -> None:
        self._limits.done(worker, ticket, used)

    async def alive(self, worker: str) -> None:
        self._limits.alive(worker)

    async def forget(self, worker: str) -> None:
        self._limits.forget(worker)


class _Limiter:
    """What a worker asks before every call: the actor with the limits. If its machine fails, Ray starts it again."""

    def __init__(self, limits: Any) -> None:
        self._limits, self._worker, self._count = limits, secrets.token_hex(8), 0

    async def admit(self, step: str, tokens: int) -> str:
        self._count += 1
        ticket = str(self._count)
        while True:
            try:
                await self._limits.admit.remote(self._worker, ticket, step, tokens)
                return ticket
            except RayActorError:  # it is being started again
                await asyncio.sleep(_LOOK)
            except BaseException:
                self.done(ticket, None)
                raise

    def pause(self, ticket: str, seconds: float, reason: str) -> None:
        self._limits.pause.remote(self._worker, ticket, seconds, reason)

    def done(self, ticket: str, used: int | None) -> None:
        self._limits.done.remote(self._worker, ticket, used)

    def alive(self) -> None:
        self._limits.alive.remote(self._worker)

    def gone(self) -> None:
        self._limits.forget.remote(self._worker)


def _limits(job: Job) -> Any:
    """Start the actor with the limits of a job; return None if there are none."""
    requests, tokens = job.settings.requests_per_minute, job.settings.tokens_per_minute
    if job.all_parallel is None and requests is None and tokens is None:
        return None
    kind = ray.remote(_Limits).options(num_cpus=0, max_restarts=-1, max_concurrency=_WAITING)
    return kind.remote(job.all_parallel or _WAITING, requests, tokens)


class _Reader:
    """An actor that reads sources until none is left."""

    def __init__(self, job: Job, limits: Any) -> None:
        self._job, self._limits = job, limits
        self._reading: asyncio.Task[None] | None = None

    async def run(self) -> ReadAgentError | None:
        """Read; return an error that every source would meet, and None if nothing is left or ``stop`` was called."""
        self._reading = asyncio.create_task(self._read())
        try:
            await self._reading
        except ReadAgentError as error:
            return error
        except asyncio.CancelledError:
            pass
        return None

    async def stop(self) -> None:
        """Stop reading. Calls in flight are finished and kept."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        job = self._job
        limiter = None if self._limits is None else _Limiter(self._limits)
        beat = None if limiter is None else limiter.alive
        with job.settings.open_library() as library:
            agent = AsyncReadAgent.from_settings(job.settings, library=library, plan=job.plan, limiter=limiter)
            async with agent:
                corpus = library.corpora.find(job.corpus)
                worker = Worker(agent, corpus, at_once=job.at_once, tries=job.tries, on_beat=beat)
                try:
                    await worker.run()
                finally:
                    if limiter is not None:
                        limiter.gone()


def read_on_ray(
    job: Job, library: Library, address: str, *, workers: int | None = None, on_look: Callable[[], None] | None = None
) -> None:
    """Read a corpus on the Ray cluster at an address, or on one of this machine, until nothing is left.

    ``workers`` actors read, by default one for each processor of the cluster. ``on_look`` is called every second; what
    is written to standard output meanwhile is logged. An error that every source would meet is raised, and what is not
    finished is read the next time.
    """
    if library.path is not None and address != LOCAL:
        raise UsageError(
            "a corpus on several machines needs a library on PostgreSQL",
            hint="give the URL of one, postgresql://user@host/name, or use `ray=local`",
        )
    home = job.settings.home.resolve()
    place = "" if library.path is None else str(library.path.resolve())
    job = replace(job, settings=replace(job.settings, home=home, library=place or job.settings.library))
    with redirect_stdout(_Log()):  # Ray writes there when a worker fails
        _connect(address, workers)
        try:
            count = workers or max(1, _processors())
            _Team(job, library, count).read(on_look)
        finally:
            ray.shutdown()


class _Log(io.TextIOBase):
    """A stream whose lines are logged."""

    def write(self, text: str) -> int:
        for line in filter(str.strip, text.splitlines()):
            _LOGGER.info("%s", line)
        return len(text)


def _processors() -> int:
    known: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call,unused-ignore]
    return int(known.get("CPU", 1))


def _connect(address: str, workers: int | None) -> None:
    """Connect to a cluster, or start one on this machine."""
    options: dict[str, Any] = {"namespace": _NAMESPACE, "log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        if workers is not None:
            options["num_cpus"] = workers
        options |= {"include_dashboard": False, "object_store_memory": _MEMORY}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, **options)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray's own would end the workers in the middle of their calls
    except (RayError, ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split()).partition(". ")[0][:200]
        raise UsageError(
            f"the Ray cluster at {address} cannot be reached: {reason}",
            hint="check the address, such as auto, head:6379 or ray://head:10001; or use `ray=local`",
        ) from None


class _Team:
    """The workers of a job. One that fails is replaced."""

    def __init__(self, job: Job, library: Library, count: int) -> None:
        self._job, self._library, self._count = job, library, count
        self._corpus = library.corpora.find(job.corpus)
        self._running: dict[Any, Any] = {}  # from results to actors
        self._limits = _limits(job)
        self._failed = self._done = 0

    def read(self, on_look: Callable[[], None] | None) -> None:
        for _ in range(self._count):
            self._start()
        try:
            while self._running:
                ended, _ = ray.wait(list(self._running), timeout=_LOOK)
                for one in ended:
                    self._ended(one)
                if on_look is not None:
                    on_look()
        finally:
            self._stop()

    def _start(self) -> None:
        kind = ray.remote(_Reader).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        actor: Any = kind.remote(self._job, self._limits)
        self._running[actor.run.remote()] = actor

    def _ended(self, one: Any) -> None:
        """Take note of a worker that has ended; start another one if it has failed."""
        del self._running[one]
        try:
            error = ray.get(one)
        except RayActorError as failure:
            done = self._library.corpora.progress(self._corpus).done
            self._failed, self._done = (1, done) if done > self._done else (self._failed + 1, self._done)
            if self._failed > _RESTARTS * self._count:
                reason = " ".join(str(failure).split())[:200]
                raise UsageError(f"the workers end again and again: {reason}", hint="look into Ray's logs") from None
            if self._library.corpora.has_left(self._corpus):
                self._start()
            return
        if error is not None:
            raise error

    def _stop(self) -> None:
        """Let the workers finish their calls, and end them."""
        for actor in self._running.values():
            actor.stop.remote()
        if self._running:
            ray.wait(list(self._running), num_returns=len(self._running), timeout=_ENDING)
        for actor in self._running.values():
            ray.kill(actor)
        self._running.clear()
