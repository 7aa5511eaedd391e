"""A study on Mind2Web: every method at every step of the tasks, resumed where it was stopped.

A step that fails is recorded with the reason, counts as wrong, and is tried again when the study is resumed. What would
fail for all of them ends it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readagent.agent import AsyncReadAgent
from readagent.bench.manifest import manifest, now
from readagent.bench.paid import Paid
from readagent.bench.run import FATAL
from readagent.bench.study import AgentOf
from readagent.bench.web.mind2web.desk import Desk
from readagent.bench.web.mind2web.folder import WebFolder
from readagent.bench.web.mind2web.load import Split
from readagent.bench.web.mind2web.methods import Method
from readagent.bench.web.mind2web.page import page_of
from readagent.bench.web.mind2web.rank import Ranker
from readagent.bench.web.mind2web.records import Acted, Key, Prediction, predicted
from readagent.bench.web.mind2web.task import Task
from readagent.core.concurrency import together
from readagent.core.model import Embedder
from readagent.errors import ReadAgentError, UsageError
from readagent.webnav.dom import Snapshot
from readagent.webnav.templates import templates

_TASKS_AT_ONCE = 4
_GONE = 3  # tasks in a row that the server failed on
_NO_POSITIVE = "no right element is left in the cleaned page"
Told = Callable[[Prediction], None]


@dataclass(slots=True)
class Study:
    """What is to be done: these methods on a split, ``runs`` times."""

    split: Split
    methods: Sequence[Method]
    ranker: Ranker
    embedder: Embedder | None = None
    runs: int = 1
    seed: int = 0

    @property
    def predictions(self) -> int:
        """How many there will be."""
        return self.runs * len(self.methods) * self.split.steps

    def done(self, folder: WebFolder) -> set[Key]:
        """The predictions that need not be made again."""
        return {one.key for one in folder.predictions() if not one.error} if folder.exists else set()

    async def conduct(self, out: Path, agent_of: AgentOf, tell: Told) -> WebFolder:
        """Do what is not done yet."""
        blind = next((method.name for method in self.methods if method.name.startswith("neural")), "")
        if blind and self.embedder is None:
            raise UsageError(
                f"{blind} needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )
        folder, paid = WebFolder(out), Paid()
        for number in range(self.runs):
            async with agent_of(number, paid) as agent:
                if number == 0:
                    folder.open(await self._manifest(agent))
                await Run(number, self, folder, Desk(agent, self.embedder, self.ranker), paid, tell).over()
        failed = sum(bool(one.error) for one in folder.predictions())
        folder.finish(finished=now(), state="finished", failed=failed)
        return folder

    async def _manifest(self, agent: AsyncReadAgent) -> dict[str, object]:
        session = await agent.session(agent.plan)
        made = manifest(
            dataset="mind2web",
            split=self.split.name,
            data_hash=self.split.fingerprint,
            documents=len(self.split.tasks),
            questions=self.split.steps,
            methods=[method.name for method in self.methods],
            runs=self.runs,
            seed=self.seed,
            model=session.model.name,
            embedder=self.embedder.name if self.embedder is not None else "",
            window_given=agent.settings.window,
            window=session.window.tokens,
            plan=agent.plan,
            prompts=agent.prompts,
        )
        return {**made, "web_prompts": templates().fingerprint, "ranker": self.ranker.name}


@dataclass(slots=True)
class Run:
    """One repetition of a study."""

    number: int
    study: Study
    folder: WebFolder
    desk: Desk
    paid: Paid
    tell: Told
    failing: int = 0  # tasks since the server last answered

    async def over(self) -> None:
        """All that is not done yet; a few tasks are in memory at a time."""
        done = self.study.done(self.folder)
        free = asyncio.Semaphore(_TASKS_AT_ONCE)

        async def one(task: Task) -> None:
            try:
                await self._task(task, done)
            finally:
                free.release()

        running: set[asyncio.Task[None]] = set()
        try:
            for task in self.study.split:
                await free.acquire()
                running = _checked(running)
                running.add(asyncio.create_task(one(task)))
            await together(_awaited(each) for each in running)
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _task(self, task: Task, done: set[Key]) -> None:
        wanted = [
            (method, number)
            for number, step in enumerate(task.steps)
            for method in self.study.methods
            if (self.number, method.name, task.id, step.id) not in done
        ]
        pages = {number: page_of(task.steps[number]) for number in {number for _, number in wanted}}
        failures = await together(self._step(method, task, number, pages[number]) for method, number in wanted)
        gone = [failure for failure in failures if failure is not None and failure.retryable]
        self.failing = self.failing + 1 if gone and len(gone) == len(wanted) else 0
        if self.failing >= _GONE:
            raise gone[0]

    async def _step(self, method: Method, task: Task, number: int, page: Snapshot) -> ReadAgentError | None:
        """One prediction; the failure that kept it from being made, if there was one."""
        seat = self.desk.seat()
        acted: Acted | None = None
        failure: ReadAgentError | None = None
        try:
            if task.steps[number].positives:
                acted = await method.act(task, number, page, seat)
            else:
                acted = Acted(None, skipped=_NO_POSITIVE)
        except FATAL:
            raise
        except ReadAgentError as error:
            failure = error
        told = f"{type(failure).__name__}: {failure}" if failure is not None else ""
        prediction = predicted(self.number, (method.name, method.title), task, number, seat.trace, acted, told)
        self.folder.add(prediction, seat.trace)
        self.paid.add(seat.trace)
        self.tell(prediction)
        return failure


async def _awaited(task: asyncio.Task[None]) -> None:
    await task


def _checked(running: set[asyncio.Task[None]]) -> set[asyncio.Task[None]]:
    """Those that still run; the failure of one that ended is raised."""
    for task in running:
        if task.done():
            task.result()
    return {task for task in running if not task.done()}
