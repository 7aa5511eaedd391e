"""A run: one repetition of a study. Trials run in parallel, and only those that the folder does not have yet.

A trial that fails is recorded with the reason, counts as wrong, and is retried when the run is resumed. An error that
every trial would meet (a wrong key, an exhausted budget, a library that cannot be written, a server that is down) ends
the run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic

from readagent.core.concurrency import as_finished, on_threads, together
from readagent.errors import ReadAgentError
from readagent.many import FATAL
from readagent.models.turns import part_of
from readagent_bench.folder import Key, RunFolder
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
