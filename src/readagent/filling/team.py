"""A job for several workers, and the team that does it: workers that fail are replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from readagent.agent import AsyncReadAgent
from readagent.core.plan import Plan
from readagent.errors import ReadAgentError, UsageError
from readagent.filling.worker import Worker
from readagent.library import Library
from readagent.library.corpora import TRIES
from readagent.models.limits import Limiter
from readagent.settings import Settings

_RESTARTS = 5  # of each worker, without any source that was finished meanwhile


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is to do: read what fills this shelf with these settings.

    ``all_parallel`` is the most concurrent calls of all workers together, and the rates of the settings are also those
    of all workers. ``at_once`` sources are read at a time by each. See ``Worker`` for ``kind`` and ``how``.
    """

    settings: Settings
    plan: Plan
    shelf: str
    at_once: int | None = None
    tries: int = TRIES
    all_parallel: int | None = None
    kind: str = ""
    how: Mapping[str, Any] = field(default_factory=dict)

    def placed(self, library: Library) -> Job:
        """Return the job for processes in other folders: with whole paths."""
        home = self.settings.home.resolve()
        place = "" if library.path is None else str(library.path.resolve())
        return replace(self, settings=replace(self.settings, home=home, library=place or self.settings.library))

    async def work(self, limiter: Limiter | None = None, on_beat: Callable[[], None] | None = None) -> None:
        """Read sources until none is left."""
        with self.settings.open_library() as library:
            agent = AsyncReadAgent.from_settings(self.settings, library=library, plan=self.plan, limiter=limiter)
            async with agent:
                await self.worker(agent, library, on_beat).run()

    def worker(self, agent: AsyncReadAgent, library: Library, on_beat: Callable[[], None] | None = None) -> Worker:
        """Return a worker that has this agent."""
        row = library.corpora.find(self.shelf)
        return Worker(agent, row, at_once=self.at_once, tries=self.tries, kind=self.kind, how=self.how, on_beat=on_beat)


class WorkerDiedError(Exception):
    """A worker has ended before it could say why."""


class Crew(Protocol):
    """What starts workers and waits for them. A member is whatever it knows a worker by."""

    def start(self) -> Any:
        """Start a worker."""
        ...

    def wait(self, members: list[Any]) -> list[Any]:
        """Return those that have ended, after at most a second."""
        ...

    def result(self, member: Any) -> ReadAgentError | None:
        """Return the error that every source would meet, or None; raise WorkerDiedError if the worker died."""
        ...

    def stop(self, members: list[Any]) -> None:
        """Let these finish their calls, and end them."""
        ...


class Team:
    """The workers of a job. One that dies is replaced."""

    def __init__(self, crew: Crew, job: Job, library: Library, count: int) -> None:
        self._crew, self._corpora, self._count = crew, library.corpora, count
        self._row = library.corpora.find(job.shelf)
        self._running: list[Any] = []
        self._failed = self._done = 0

    def read(self, on_look: Callable[[], None] | None) -> None:
        """Read until nothing is left. ``on_look`` is called every second."""
        try:
            for _ in range(self._count):
                self._running.append(self._crew.start())
            while self._running:
                for one in self._crew.wait(self._running):
                    self._running.remove(one)
                    self._ended(one)
                if on_look is not None:
                    on_look()
        finally:
            self._crew.stop(self._running)

    def _ended(self, one: Any) -> None:
        """Take note of a worker that has ended; start another one if it died."""
        try:
            error = self._crew.result(one)
        except WorkerDiedError as failure:
            done = self._corpora.progress(self._row).done
            self._failed, self._done = (1, done) if done > self._done else (self._failed + 1, self._done)
            if self._failed > _RESTARTS * self._count:
                raise UsageError(f"the workers end again and again: {failure}", hint="look into their logs") from None
            if self._corpora.has_left(self._row):
                self._running.append(self._crew.start())
            return
        if error is not None:
            raise error
