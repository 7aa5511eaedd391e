"""A study: the methods of a task on all its cases, repeated over some runs, kept in a folder where it can be resumed.

Questions about documents (``answering``) are one kind of task, steps on recorded web pages (``web.mind2web``) another.
"""

from __future__ import annotations

import os
import platform
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.concurrency import as_finished, on_threads, together
from readagent.core.model import Embedder
from readagent.core.trace import Listener, Trace, ignore
from readagent.errors import ReadAgentError
from readagent.models.fair_queue import part_of
from readagent.models.wire import decode, encode
from readagent.source import FATAL
from readagent_bench.context import Context, templates
from readagent_bench.folder import CaseRecord, Key, RunFolder

Problem = TypeVar("Problem", contravariant=True)
AnyContext = TypeVar("AnyContext", bound=Context, contravariant=True)
Result = TypeVar("Result", covariant=True)


class Titled(Protocol):
    """The part of a method that a study needs: its name on the command line, and its title in the tables."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


class Method(Titled, Protocol[Problem, AnyContext, Result]):
    """A way to solve the problems of a task: a question about a document, or a step on a page."""

    async def answer(self, problem: Problem, context: AnyContext) -> Result: ...


class Predicted(CaseRecord, Protocol):
    """A prediction, or the failure to make one: ``error`` says why."""

    @property
    def error(self) -> str: ...


class Trial(ABC):
    """One prediction to make: one method on one problem, in one run. The trace of its context has its calls."""

    __slots__ = ()
    context: Context

    @property
    @abstractmethod
    def key(self) -> Key:
        """Run, method, case, and question or step."""

    @abstractmethod
    async def attempt(self) -> None:
        """Ask the method. An error becomes the error of the prediction."""

    @abstractmethod
    def prediction(self, error: str) -> Predicted:
        """Return the record of the trial after the attempt."""

    def shared_work(self) -> Iterable[tuple[CaseRecord, Trace | None]]:
        """Return records of work that other trials use too and that is not in the folder yet, with their traces."""
        return ()


@dataclass(frozen=True, slots=True)
class Task(ABC):
    """A data set with the methods to compare on it. ``documents`` and ``questions`` count its cases and problems.

    ``record`` is the type of its predictions, and ``data_hash`` is the same for the same problems.
    """

    record: ClassVar[type[Any]]
    dataset: str
    split: str
    methods: Sequence[Any]

    @property
    @abstractmethod
    def documents(self) -> int: ...
    @property
    @abstractmethod
    def questions(self) -> int: ...
    @property
    @abstractmethod
    def data_hash(self) -> str: ...

    @abstractmethod
    def cases(self) -> Iterable[Any]:
        """Return the cases. They may be loaded one by one: a study holds only a few at a time."""

    @abstractmethod
    def check(self, embedder: Embedder | None) -> None:
        """Raise UsageError for what cannot work on any case."""

    @abstractmethod
    def manifest(self) -> Mapping[str, object]:
        """Return what the manifest of a run says about this task besides the fields that all runs have."""

    @abstractmethod
    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> Context:
        """Return what the methods of one run share."""

    @abstractmethod
    def trials(self, run: int, case: Any, context: Any) -> Iterable[Trial]:
        """Return a trial for each method and problem of a case."""

    def finish(self, case: Any, context: Any) -> None:
        """Release what was kept for a case whose trials are over."""
        return


_PACKAGES = ("readagent", "httpx2", "msgspec", "numpy", "rouge-score", "xllamacpp")
_SERVER_DOWN = 3  # cases that the server failed on since it last answered: the rest would fail too


@dataclass(slots=True)
class Run:
    """Repetition ``number`` of a task, recorded in a folder."""

    number: int
    task: Task
    context: Context
    folder: RunFolder
    on_prediction: Callable[[Any], None]
    _failing: set[str] = field(default_factory=set)  # cases that the server failed on since it last answered

    async def complete(self, done: set[Key]) -> None:
        """Make all predictions but those ``done``. No more cases are loaded at a time than keep the slots busy."""

        async def one(case: Any) -> None:
            wanted = [trial for trial in self.task.trials(self.number, case, self.context) if trial.key not in done]
            with part_of(f"case {id(case)}"):
                await together(self._make(trial) for trial in wanted)
            self.task.finish(case, self.context)

        most = self.context.agent.connection.documents_at_once
        async with aclosing(as_finished(on_threads(self.task.cases()), one, most)) as finished:
            async for _ in finished:
                pass

    async def _make(self, trial: Trial) -> None:
        error = ""
        try:
            await trial.attempt()
            if trial.context.trace.calls:
                self._failing.clear()
        except FATAL:
            raise
        except ReadAgentError as failure:
            error = f"{type(failure).__name__}: {failure}"
            self._check_server(trial.key[2], failure)
        prediction = trial.prediction(error)
        for record, trace in trial.shared_work():
            if trace is not None:
                self.folder.add_trace(record.key, trace, reading=True)
            self.folder.add(record)
        self.folder.add_trace(prediction.key, trial.context.trace)
        self.folder.add(prediction)
        self.on_prediction(prediction)

    def _check_server(self, case: str, failure: ReadAgentError) -> None:
        if failure.retryable:
            self._failing.add(case)
        if len(self._failing) >= _SERVER_DOWN:
            raise failure


AgentOf = Callable[[int], AsyncReadAgent]
"""Return the agent of a run, given the number of the run.

Agents of different runs must not share replies, or the repetitions would be copies.
"""


@dataclass(frozen=True, slots=True)
class Study:
    """Every method of the task on every problem of its cases, ``runs`` times. ``seed`` chose the cases."""

    task: Task
    runs: int = 1
    seed: int = 0

    @property
    def predictions(self) -> int:
        """The number of predictions when the study is finished."""
        return self.runs * len(self.task.methods) * self.task.questions

    def done(self, folder: RunFolder) -> set[Key]:
        """Return the keys of predictions that need not be made again. Failed ones are retried."""
        return {one.key for one in folder.records(self.task.record) if not one.error}

    async def conduct(
        self,
        out: Path,
        agent_of: AgentOf,
        embedder: Embedder | None,
        on_prediction: Callable[[Any], None] = lambda _: None,
        listen: Listener = ignore,
    ) -> RunFolder:
        """Make the predictions that the folder does not have yet, and return the folder.

        ``on_prediction`` is called with every prediction, and ``listen`` with every event.
        """
        self.task.check(embedder)
        folder = RunFolder(out)
        for number in range(self.runs):
            async with agent_of(number) as agent:
                await agent.connection.keep_estimates()
                context = self.task.context(agent, embedder, folder)
                context.listen = listen
                if number == 0:
                    folder.open(await self._manifest(context))
                run = Run(number, self.task, context, folder, on_prediction)
                try:
                    await run.complete(self.done(folder))
                finally:
                    await context.aclose()
        failed = sum(bool(one.error) for one in folder.records(self.task.record))
        folder.finish(finished=_now(), state="finished", failed=failed)
        return folder

    async def _manifest(self, context: Context) -> dict[str, object]:
        """Return the manifest of a run that starts now. It names neither the owner of the machine nor any path."""
        session, task = await context.session(), self.task
        return {
            "dataset": task.dataset,
            "split": task.split,
            "data_sha256": task.data_hash,
            "documents": task.documents,
            "questions": task.questions,
            "methods": [method.name for method in task.methods],
            "runs": self.runs,
            "seed": self.seed,
            "model": session.model.name,
            "embedder": context.embedder.name if context.embedder is not None else "",
            "window_given": context.agent.settings.window,
            "window": session.window.tokens,
            "plan": decode(encode(context.plan)),
            "prompts": context.agent.prompts.fingerprint,
            "bench_prompts": templates().fingerprint,
            "commit": _commit(),
            "versions": {name: found for name in _PACKAGES if (found := _version(name))},
            "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
            f"Python {platform.python_version()}",
            "started": _now(),
            "state": "running",
            **task.manifest(),
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _commit() -> str:
    """Return the commit of this program and whether files changed since; empty outside a clone."""
    here = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        try:
            done = subprocess.run(["git", "-C", str(here), *words], capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    short = git("rev-parse", "--short", "HEAD")
    return f"{short}{' and changes' if short and git('status', '--porcelain', '--', '.') else ''}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
