"""A study: a data set, some methods and a model, repeated over runs, in a folder; and its ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readagent.agent import AsyncReadAgent
from readagent.bench.datasets import dataset_hash
from readagent.bench.desk import Desk
from readagent.bench.example import Case
from readagent.bench.folder import RunFolder
from readagent.bench.manifest import manifest, now
from readagent.bench.methods import Method
from readagent.bench.rate import Rating, rate
from readagent.bench.records import Prediction
from readagent.bench.run import Run
from readagent.core.embedder import Embedder
from readagent.core.together import together
from readagent.errors import UsageError

AgentOf = Callable[[int], AsyncReadAgent]  # an agent for a run's number: what it is told is kept apart by it


@dataclass(frozen=True, slots=True)
class Study:
    """What is to be done: every method on every question of the cases, ``runs`` times."""

    dataset: str
    split: str
    cases: Sequence[Case]
    methods: Sequence[Method]
    runs: int = 1
    seed: int = 0
    embedder: Embedder | None = None

    @property
    def questions(self) -> int:
        return sum(len(case.examples) for case in self.cases)

    async def conduct(self, out: Path, agent_of: AgentOf, tell: Callable[[Prediction], None]) -> RunFolder:
        """Do what is not done yet; what failed before is tried again."""
        if not self.questions:
            raise UsageError(f"{self.dataset} has no questions here", hint="is this the right --data and --split?")
        folder = RunFolder(out)
        for number in range(self.runs):
            async with agent_of(number) as agent:
                if number == 0:
                    folder.open(await self._manifest(agent))
                done = {one.key for one in folder.predictions() if not one.error}
                run = Run(number, Desk(agent, self.embedder), folder, self.methods, tell)
                await run.over(self.cases, done)
        folder.finish(finished=now(), state="finished")
        return folder

    async def _manifest(self, agent: AsyncReadAgent) -> dict[str, object]:
        reader = await agent.reader(agent.plan)
        return manifest(
            dataset=self.dataset,
            split=self.split,
            data_hash=dataset_hash(self.cases),
            documents=len(self.cases),
            questions=self.questions,
            methods=[method.name for method in self.methods],
            runs=self.runs,
            seed=self.seed,
            model=reader.model.name,
            embedder=self.embedder.name if self.embedder is not None else "",
            window=reader.window.tokens,
            plan=agent.plan,
            prompts=agent.prompts,
        )


async def rate_run(folder: RunFolder, agent: AsyncReadAgent, tell: Callable[[Rating], None]) -> None:
    """Rate every free answer that this rater has not rated yet. Another rater's ratings stay, under its own name."""
    reader = await agent.reader(agent.plan)
    known = {rating.key for rating in folder.ratings()}
    wanted = [p for p in folder.predictions() if p.references and p.kind == "free"]
    new = [p for p in wanted if (reader.model.name, *p.key, p.text) not in known]
    if not wanted:
        raise UsageError(f"{folder.path} has no free answers to rate", hint="options and claims need no rater")

    async def one(prediction: Prediction) -> None:
        rating = await rate(prediction, reader)
        folder.add(rating)
        tell(rating)

    await together(one(prediction) for prediction in new)
    raters = {*folder.manifest().get("raters", []), reader.model.name}
    folder.finish(raters=sorted(raters))
