"""A study: a task repeated over some runs with one model, kept in a folder where it can be resumed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

from readagent.agent import AsyncReadAgent
from readagent.core.events import Listener, ignore
from readagent.core.model import Embedder
from readagent_bench.context import Context
from readagent_bench.folder import Key, RunFolder
from readagent_bench.manifest import manifest, now
from readagent_bench.run import Run
from readagent_bench.task import CaseT, ContextT, PredictionT, Task

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
