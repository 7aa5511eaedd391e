"""Mind2Web as a task of a study: every method at every step of recorded tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.trace import Trace
from readagent.errors import UsageError
from readagent_bench.folder import CaseRecord, Key, RunFolder
from readagent_bench.methods.entry import require_embedder
from readagent_bench.web.mind2web.context import NavigationContext
from readagent_bench.web.mind2web.load import Split
from readagent_bench.web.mind2web.methods import METHODS, Method
from readagent_bench.web.mind2web.page import page_of
from readagent_bench.web.mind2web.rank import Ranker
from readagent_bench.web.mind2web.records import Acted, StepPrediction, predicted
from readagent_bench.web.mind2web.task import Moment, Task
from readagent_browse.templates import templates

_NO_POSITIVE = "no right element is left in the cleaned page"


@dataclass(slots=True)
class StepTrial:
    """One method at one step."""

    run: int
    method: Method
    moment: Moment
    context: NavigationContext
    _acted: Acted | None = None

    @property
    def key(self) -> Key:
        return self.run, self.method.name, self.moment.task.id, self.moment.step.id

    @property
    def trace(self) -> Trace:
        return self.context.trace

    async def attempt(self) -> None:
        """Ask for the action, unless no element is right: the reference evaluation skips such a step too."""
        if self.moment.step.positives:
            self._acted = await self.method.answer(self.moment, self.context)
        else:
            self._acted = Acted(None, skipped=_NO_POSITIVE)

    def prediction(self, error: str) -> StepPrediction:
        return predicted(self.key, self.method.title, self.moment, self.trace, self._acted, error)

    def shared_work(self) -> Iterable[tuple[CaseRecord, Trace | None]]:
        return ()


@dataclass(frozen=True, slots=True)
class Navigation:
    """The steps of a split of Mind2Web, predicted by some methods."""

    data: Split
    methods: Sequence[Method]
    ranker: Ranker
    record: type[StepPrediction] = StepPrediction
    dataset: str = "mind2web"

    @property
    def split(self) -> str:
        return self.data.name

    @property
    def documents(self) -> int:
        return len(self.data.tasks)

    @property
    def questions(self) -> int:
        return self.data.steps

    def cases(self) -> Iterable[Task]:
        return self.data

    def check(self, embedder: Embedder | None) -> None:
        if not self.questions:
            raise UsageError(f"{self.dataset} has no tasks here", hint="check --data and --split")
        require_embedder(self.methods, METHODS, embedder)

    def data_hash(self) -> str:
        return self.data.fingerprint

    def manifest(self) -> Mapping[str, object]:
        return {"web_prompts": templates().fingerprint, "ranker": self.ranker.name}

    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> NavigationContext:
        return NavigationContext(agent, embedder, ranker=self.ranker)

    def trials(self, run: int, case: Task, context: NavigationContext) -> Iterator[StepTrial]:
        for number, step in enumerate(case.steps):
            moment = Moment(case, number, partial(page_of, step))
            for method in self.methods:
                yield StepTrial(run, method, moment, context.with_own_trace())

    def finish(self, case: Task, context: NavigationContext) -> None:
        return
