"""Question answering as a task: documents with questions, methods that answer them, a Prediction for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.trace import Trace
from readagent.errors import UsageError
from readagent_bench.datasets.dataset import Missing, dataset_hash
from readagent_bench.folder import CaseRecord, Key, RunFolder
from readagent_bench.methods import METHODS, Method, OwnMethod, require_embedder, uses_gists
from readagent_bench.reading import ReadingContext, Recorded
from readagent_bench.records import Asked, Case, Example, Outcome, Prediction, Reading, predicted, reading_of
from readagent_bench.study import Task, Trial


@dataclass(slots=True)
class QuestionTrial(Trial):
    """One method on one question."""

    run: int
    method: Method
    case: Case
    example: Example
    context: ReadingContext
    _outcome: Outcome | None = None

    @property
    def key(self) -> Key:
        return self.run, self.method.name, self.case.id, self.example.id

    async def attempt(self) -> None:
        if not self.case.document.words:
            raise UsageError("the document is empty")
        self._outcome = await self.method.answer(Asked(self.case.document, self.example.question), self.context)

    def prediction(self, error: str) -> Prediction:
        return predicted(self.key, self.method.title, self.case, self.example, self.context.trace, self._outcome, error)

    def shared_work(self) -> Iterator[tuple[CaseRecord, Trace | None]]:
        """Yield the reading of the document once for each method that needed it; its trace is kept once for all."""
        done = (self._outcome.preparation if self._outcome is not None else None) or self.context.used
        if done is None:
            return
        key = (*self.key[:3], self.example.id if done.for_question else "")
        if key in self.context.recorded.readings:
            return
        self.context.recorded.readings.add(key)
        whole = done.memory.trace if done.memory is not None else done.trace
        is_new = (self.case.id, id(whole)) not in self.context.recorded.traces
        self.context.recorded.traces.add((self.case.id, id(whole)))
        yield reading_of(key, self.case, done), whole if is_new else None


@dataclass(frozen=True, slots=True)
class QuestionAnswering(Task):
    """The questions of some cases of a data set, answered by some methods.

    ``source`` says which code of the user loaded the data set, if any did. ``missing`` are documents that it should
    have.
    """

    record: ClassVar = Prediction
    loaded: Sequence[Case]
    source: str = ""
    missing: Missing | None = None

    @property
    def documents(self) -> int:
        return len(self.loaded)

    @property
    def questions(self) -> int:
        return sum(len(case.examples) for case in self.loaded)

    def cases(self) -> Sequence[Case]:
        return self.loaded

    def check(self, embedder: Embedder | None) -> None:
        if not self.questions:
            raise UsageError(f"{self.dataset} has no questions here", hint="check --data and --split")
        require_embedder(self.methods, METHODS, embedder)

    @property
    def data_hash(self) -> str:
        return dataset_hash(self.loaded)

    def manifest(self) -> Mapping[str, object]:
        own = {one.name: one.source for one in self.methods if isinstance(one, OwnMethod)}
        about: dict[str, object] = {"own_methods": own, "own_dataset": self.source}
        if self.missing is not None:
            about["missing"] = {"documents": list(self.missing.names), "of": self.missing.of}
        return {name: value for name, value in about.items() if value}

    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> ReadingContext:
        recorded = Recorded({reading.key for reading in folder.records(Reading) if not reading.failed})
        gists = any(uses_gists(method) for method in self.methods)
        return ReadingContext(agent, embedder, recorded=recorded, gists=gists)

    def trials(self, run: int, case: Case, context: ReadingContext) -> Iterator[QuestionTrial]:
        for method in self.methods:
            for example in case.examples:
                yield QuestionTrial(run, method, case, example, context.with_own_trace())

    def finish(self, case: Case, context: ReadingContext) -> None:
        context.forget(case.document)
