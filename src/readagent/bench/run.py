"""A run: every method on every question, in parallel under one limiter, resumed where it was stopped.

A document or a question that fails is recorded with the reason and counts as wrong; it is tried again when the run is
resumed. What would fail for all of them (a wrong key, a spent budget, a library that cannot be written) ends the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from readagent.bench.desk import Desk
from readagent.bench.example import Case, Example, Outcome
from readagent.bench.folder import RunFolder
from readagent.bench.methods import Method
from readagent.bench.records import Prediction, Reading, predicted, relevant, spent
from readagent.core.together import together
from readagent.core.trace import Trace
from readagent.errors import (
    BudgetExceededError,
    LibraryError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
    UsageError,
)

_FATAL = (UsageError, UnauthorizedError, UnknownModelError, BudgetExceededError, LibraryError)
Told = Callable[[Prediction], None]


@dataclass(slots=True)
class Run:
    """One repetition (``number``) of some methods over some cases, written to a folder."""

    number: int
    desk: Desk
    folder: RunFolder
    methods: Sequence[Method]
    tell: Told
    documents_at_once: int = 4
    _known: set[tuple[str, str, int]] = field(default_factory=set)

    async def over(self, cases: Sequence[Case], done: set[tuple[int, str, str, str]]) -> None:
        """All that is not done yet."""
        free = asyncio.Semaphore(self.documents_at_once)

        async def one(case: Case) -> None:
            async with free:
                await together(
                    self._answer(method, case, example)
                    for method in self.methods
                    for example in case.examples
                    if (self.number, method.name, case.id, example.id) not in done
                )
                self.desk.forget(case.document)

        await together(one(case) for case in cases)

    async def _answer(self, method: Method, case: Case, example: Example) -> None:
        outcome: Outcome | None = None
        error = ""
        try:
            outcome = await method.answer(case.document, example.question, self.desk)
        except _FATAL:
            raise
        except ReadAgentError as failure:
            error = f"{type(failure).__name__}: {failure}"
        prediction = predicted(self.number, method.name, method.title, case, example, outcome, error)
        if outcome is not None:
            if (memories := self.desk.memories(outcome.reading)) is not None:
                prediction = replace(prediction, relevant=relevant(example, memories.fitted.pages))
            self._add_reading(method, case, example, outcome)
            self.folder.add_trace(prediction, outcome.trace)
        self.folder.add(prediction)
        self.tell(prediction)

    def _add_reading(self, method: Method, case: Case, example: Example, outcome: Outcome) -> None:
        """What reading the document took, once for each method that needed it."""
        trace: Trace | None = outcome.reading
        if trace is None or (method.name, case.id, id(trace)) in self._known:
            return
        self._known.add((method.name, case.id, id(trace)))
        fallbacks = tuple(f"{one.step}: {one.reason}" for one in trace.fallbacks)
        reading = Reading(self.number, method.name, case.id, "", case.document.words, spent(trace), fallbacks)
        if (memories := self.desk.memories(trace)) is not None:
            whole, fitted = memories.whole, memories.fitted
            reading = replace(
                reading, question=example.id if whole.plan.task else "", pages=len(fitted.pages),
                gist_words=whole.words(), merged_words=fitted.words(),
            )  # fmt: skip
        self.folder.add(reading)
