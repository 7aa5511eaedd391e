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
from readagent.bench.methods import Method, needs_embedder
from readagent.bench.paid import Paid
from readagent.bench.rate import Rating, rate
from readagent.bench.records import Key, Prediction
from readagent.bench.run import FATAL, Run
from readagent.core.concurrency import together
from readagent.core.model import Embedder
from readagent.errors import ReadAgentError, UsageError

AgentOf = Callable[[int, Paid], AsyncReadAgent]
"""An agent for a run's number, which keeps what it is told apart, and for what was paid in the runs before."""


@dataclass(frozen=True, slots=True)
class Study:
    """What is to be done: every method on every question of the cases, ``runs`` times."""

    dataset: str
    split: str
    cases: Sequence[Case]
    methods: Sequence[Method]
    runs: int = 1
    seed: int = 0

    @property
    def questions(self) -> int:
        return sum(len(case.examples) for case in self.cases)

    def check(self, embedder: Embedder | None) -> None:
        """Refuse what cannot work for any document."""
        if not self.questions:
            raise UsageError(f"{self.dataset} has no questions here", hint="is this the right --data and --split?")
        blind = next((method.name for method in self.methods if needs_embedder(method.name)), "")
        if blind and embedder is None:
            raise UsageError(
                f"{blind} needs an embedder", hint="readagent model pull minilm, or give --embedder URL#MODEL"
            )

    def done(self, folder: RunFolder) -> set[Key]:
        """The predictions that need not be made again: what failed is tried again."""
        wanted = {
            (run, method.name, case.id, example.id)
            for run in range(self.runs)
            for method in self.methods
            for case in self.cases
            for example in case.examples
        }
        return {one.key for one in folder.predictions() if not one.error} & wanted

    async def conduct(
        self, out: Path, agent_of: AgentOf, embedder: Embedder | None, tell: Callable[[Prediction], None]
    ) -> RunFolder:
        """Do what is not done yet."""
        self.check(embedder)
        folder, paid = RunFolder(out), Paid()
        for number in range(self.runs):
            async with agent_of(number, paid) as agent:
                desk = Desk(agent, embedder, documents=[case.document for case in self.cases])
                if number == 0:
                    folder.open(await self._manifest(desk))
                try:
                    await Run(number, desk, folder, self.methods, tell, paid=paid).over(self.cases, self.done(folder))
                finally:
                    await desk.aclose()
        failed = sum(bool(one.error) for one in folder.predictions())
        folder.finish(finished=now(), state="finished", failed=failed)
        return folder

    async def _manifest(self, desk: Desk) -> dict[str, object]:
        session = await desk.session()
        return manifest(
            dataset=self.dataset,
            split=self.split,
            data_hash=dataset_hash(self.cases),
            documents=len(self.cases),
            questions=self.questions,
            methods=[method.name for method in self.methods],
            runs=self.runs,
            seed=self.seed,
            model=session.model.name,
            embedder=desk.embedder.name if desk.embedder is not None else "",
            window_given=desk.agent.settings.window,
            window=session.window.tokens,
            plan=desk.plan,
            prompts=desk.agent.prompts,
        )


async def rate_run(folder: RunFolder, agent: AsyncReadAgent, tell: Callable[[Rating], None]) -> list[str]:
    """Rate every free answer that this rater has not rated yet, and say what could not be rated, and why.

    Another rater's ratings stay, under its own name.
    """
    raters = folder.manifest().get("raters", [])
    rater = (await agent.session(agent.plan)).model.name
    known = {rating.key for rating in folder.ratings()}
    wanted = [p for p in folder.predictions() if p.references and p.kind == "free"]
    if not wanted:
        raise UsageError(f"{folder.path} has no free answers to rate", hint="options and claims need no rater")
    failed: list[str] = []

    async def one(prediction: Prediction) -> None:
        try:
            rating = await rate(prediction, await agent.session(agent.plan, keep_text=False))
        except FATAL:
            raise
        except ReadAgentError as error:
            failed.append(f"{prediction.example}: {error}")
            return
        folder.add(rating)
        tell(rating)

    await together(one(p) for p in wanted if (rater, *p.key, p.text) not in known)
    folder.finish(raters=sorted({*raters, rater}))
    return failed
