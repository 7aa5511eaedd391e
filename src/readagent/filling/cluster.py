"""Filling a shelf on Ray: workers are actors, and one actor keeps the limits of the server. Only this uses Ray.

The list of sources is in the library. If an actor or its machine fails, another one is started, and sources whose
worker is gone are claimed again. If this process fails, its actors end, and the next command goes on.
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
from typing import Any

from readagent.advice import missing_extra
from readagent.errors import ReadAgentError, UsageError
from readagent.filling.team import Job, Team, WorkerDiedError
from readagent.library import Library
from readagent.models.limits import SharedLimits

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report to its makers
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # otherwise it warns that this will be the default

try:
    import ray
    from ray.exceptions import RayActorError, RayError
except ImportError:
    raise missing_extra("filling a shelf on several machines", "Ray", "ray") from None

_NAMESPACE = "readagent"
_LOOK = 1.0  # seconds between two looks at the workers
_ENDING = 30.0  # seconds that workers have to finish their calls
_LOGGER = logging.getLogger(__name__)
_WAITING = 100_000  # calls that may wait for the limits


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
        if self._limits is None:
            await self._job.work()
            return
        limiter = _Limiter(self._limits)
        try:
            await self._job.work(limiter, limiter.alive)
        finally:
            limiter.gone()


def read_on_ray(
    job: Job, library: Library, address: str, *, workers: int | None = None, on_look: Callable[[], None] | None = None
) -> None:
    """Read what fills a shelf on the Ray cluster at an address, until nothing is left.

    ``workers`` actors read, by default one for each processor of the cluster. ``on_look`` is called every second; what
    is written to standard output meanwhile is logged. An error that every source would meet is raised, and what is not
    finished is read the next time.
    """
    if library.path is not None:
        raise UsageError(
            "a shelf that several machines fill needs a library on PostgreSQL",
            hint="give the URL of one, postgresql://user@host/name, or use `workers=4` on this machine",
        )
    with redirect_stdout(_Log()):  # Ray writes there when a worker fails
        _connect(address)
        try:
            count = workers or max(1, _processors())
            Team(_Actors(job.placed(library)), job, library, count).read(on_look)
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


def _connect(address: str) -> None:
    """Connect to a cluster."""
    options: dict[str, Any] = {"namespace": _NAMESPACE, "log_to_driver": False, "logging_level": "ERROR"}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, **options)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # Ray's own would end the workers in the middle of their calls
    except (RayError, ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = " ".join(str(error).split()).partition(". ")[0][:200]
        raise UsageError(
            f"the Ray cluster at {address} cannot be reached: {reason}",
            hint="check the address, such as auto, head:6379 or ray://head:10001",
        ) from None


class _Actors:
    """Workers that are actors on the cluster. A member is the result that its actor will have."""

    def __init__(self, job: Job) -> None:
        self._job, self._limits = job, _limits(job)
        self._actors: dict[Any, Any] = {}

    def start(self) -> Any:
        kind = ray.remote(_Reader).options(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")
        actor: Any = kind.remote(self._job, self._limits)
        member = actor.run.remote()
        self._actors[member] = actor
        return member

    def wait(self, members: list[Any]) -> list[Any]:
        return list(ray.wait(members, timeout=_LOOK)[0])

    def result(self, member: Any) -> ReadAgentError | None:
        del self._actors[member]
        try:
            error: ReadAgentError | None = ray.get(member)
        except RayActorError as failure:
            raise WorkerDiedError(" ".join(str(failure).split())[:200]) from None
        return error

    def stop(self, members: list[Any]) -> None:
        for one in members:
            self._actors[one].stop.remote()
        if members:
            ray.wait(list(members), num_returns=len(members), timeout=_ENDING)
        for one in members:
            ray.kill(self._actors[one])
