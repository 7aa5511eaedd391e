"""Task: what a study measures: the cases of a data set, the methods compared on them, and their predictions.

A study, its runs and its folder know nothing else about a task. Questions about documents (``answering``) are one kind,
steps on recorded web pages (``web.mind2web.navigation``) another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.model import Embedder
from readagent.core.trace import Trace
from readagent_bench.context import Context
from readagent_bench.folder import CaseRecord, Key, RunFolder


class Predicted(CaseRecord, Protocol):
    """A prediction, or the failure to make one: ``error`` says why."""

    @property
    def error(self) -> str: ...


Problem = TypeVar("Problem", contravariant=True)
AnyContext = TypeVar("AnyContext", bound=Context, contravariant=True)
Result = TypeVar("Result", covariant=True)


class Method(Protocol[Problem, AnyContext, Result]):
    """A way to solve the problems of a task: a question about a document, or a step on a page."""

    @property
    def name(self) -> str:
        """The name on the command line, with its number: ``bm25:3``."""
        ...

    @property
    def title(self) -> str:
        """The name in the tables of the paper."""
        ...

    async def answer(self, problem: Problem, context: AnyContext) -> Result: ...


class Titled(Protocol):
    """The part of a method that a study needs."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


CaseT = TypeVar("CaseT")
ContextT = TypeVar("ContextT", bound=Context)
PredictionT = TypeVar("PredictionT", bound=Predicted)
PredictionT_co = TypeVar("PredictionT_co", bound=Predicted, covariant=True)


class Trial(Protocol[PredictionT_co]):
    """One prediction to make: one method on one problem, in one run."""

    @property
    def key(self) -> Key: ...

    @property
    def trace(self) -> Trace:
        """The calls made for this trial alone."""
        ...

    async def attempt(self) -> None:
        """Ask the method. An error becomes the error of the prediction."""
        ...

    def prediction(self, error: str) -> PredictionT_co:
        """Return the record of the trial after the attempt."""
        ...

    def shared_work(self) -> Iterable[tuple[CaseRecord, Trace | None]]:
        """Return records of work that other trials use too and that is not in the folder yet, with their traces."""
        ...


class Task(Protocol[CaseT, ContextT, PredictionT_co]):
    """A data set with the methods to compare on it. ``documents`` and ``questions`` count its cases and problems."""

    @property
    def dataset(self) -> str: ...
    @property
    def split(self) -> str: ...
    @property
    def methods(self) -> Sequence[Titled]: ...
    @property
    def documents(self) -> int: ...
    @property
    def questions(self) -> int: ...
    @property
    def record(self) -> type[PredictionT_co]: ...

    def cases(self) -> Iterable[CaseT]:
        """Return the cases. They may be loaded one by one: a study holds only a few at a time."""
        ...

    def check(self, embedder: Embedder | None) -> None:
        """Raise UsageError for what cannot work on any case."""
        ...

    def data_hash(self) -> str:
        """Return a hash of the cases: two runs with the same hash had the same problems."""
        ...

    def manifest(self) -> Mapping[str, object]:
        """Return what the manifest of a run says about this task besides the fields that all runs have."""
        ...

    def context(self, agent: AsyncReadAgent, embedder: Embedder | None, folder: RunFolder) -> ContextT:
        """Return what the methods of one run share."""
        ...

    def trials(self, run: int, case: CaseT, context: ContextT) -> Iterable[Trial[PredictionT_co]]:
        """Return a trial for each method and problem of a case."""
        ...

    def finish(self, case: CaseT, context: ContextT) -> None:
        """Release what was kept for a case whose trials are over."""
        ...
