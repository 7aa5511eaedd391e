"""A study: a task repeated over some runs with one model, kept in a folder where it can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from readagent.agent import AsyncReadAgent
from readagent.core.concurrency import as_finished, on_threads, together
from readagent.core.model import Embedder
from readagent.core.trace import Listener, ignore
from readagent.errors import ReadAgentError
from readagent.models.fair_queue import part_of
from readagent.source import FATAL
from readagent_bench.context import Context
from readagent_bench.folder import Key, RunFolder
from readagent_bench.manifest import manifest, now
from readagent_bench.task import CaseT, ContextT, PredictionT, Task, Trial

_SERVER_DOWN = 3  # cases that the server failed on since it last answered: the rest would fail too


@dataclass(slots=True)
class Run(Generic[CaseT, ContextT, PredictionT]):
    """Repetition ``number`` of a task, recorded in a folder."""

    number: int
    task: Task[CaseT, ContextT, PredictionT]
    context: ContextT
    folder: RunFolder
    on_prediction: Callable[[PredictionT], None]
    _failing: set[str] = field(default_factory=set)  # cases that the server failed on since it last answered

    async def complete(self, done: set[Key]) -> None:
        """Make all predictions but those ``done``. No more cases are loaded at a time than keep the slots busy."""

        async def one(case: CaseT) -> None:
            wanted = [trial for trial in self.task.trials(self.number, case, self.context) if trial.key not in done]
            with part_of(f"case {id(case)}"):
                await together(self._make(trial) for trial in wanted)
            self.task.finish(case, self.context)

        most = self.context.agent.connection.documents_at_once
        async with aclosing(as_finished(on_threads(self.task.cases()), one, most)) as finished:
            async for _ in finished:
                pass

    async def _make(self, trial: Trial[PredictionT]) -> None:
        error = ""
        try:
            await trial.attempt()
            if trial.trace.calls:
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
        self.folder.add_trace(prediction.key, trial.trace)
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
class Study(Generic[CaseT, ContextT, PredictionT]):
    """Every method of the task on every problem of its cases, ``runs`` times. ``seed`` chose the cases."""

    task: Task[CaseT, ContextT, PredictionT]
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
        on_prediction: Callable[[PredictionT], None] = lambda _: None,
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
        folder.finish(finished=now(), state="finished", failed=failed)
        return folder

    async def _manifest(self, context: Context) -> dict[str, object]:
        session = await context.session()
        made = manifest(
            dataset=self.task.dataset,
            split=self.task.split,
            data_hash=self.task.data_hash(),
            documents=self.task.documents,
            questions=self.task.questions,
            methods=[method.name for method in self.task.methods],
            runs=self.runs,
            seed=self.seed,
            model=session.model.name,
            embedder=context.embedder.name if context.embedder is not None else "",
            window_given=context.agent.settings.window,
            window=session.window.tokens,
            plan=context.plan,
            prompts=context.agent.prompts,
        )
        return {**made, **self.task.manifest()}
