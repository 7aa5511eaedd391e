"""A run: every method on every question, in parallel under one limiter, resumed where it was stopped.

A document or a question that fails is recorded with the reason and counts as wrong; it is tried again when the run is
resumed. What would fail for all of them (a wrong key, a spent budget, a library that cannot be written, a server that
is gone) ends the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from readagent.bench.desk import Desk
from readagent.bench.example import Case, Example, Outcome, Studied
from readagent.bench.folder import RunFolder
from readagent.bench.methods import Method
from readagent.bench.paid import Paid
from readagent.bench.records import Key, Prediction, predicted, read_for
from readagent.core.concurrency import together
from readagent.errors import (
    BudgetExceededError,
    LibraryError,
    LiveRequestError,
    PromptError,
    ReadAgentError,
    UnauthorizedError,
    UnknownModelError,
    UsageError,
)

FATAL = (BudgetExceededError, LibraryError, LiveRequestError, PromptError, UnauthorizedError, UnknownModelError)
_GONE = 3  # documents in a row that the server failed on: it is gone, and the rest would fail too
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
    paid: Paid = field(default_factory=Paid)
    _read: set[Key] = field(default_factory=set)  # the readings that are in the folder
    _traced: set[tuple[str, int]] = field(default_factory=set)  # traces of readings that are in the folder
    _failing: set[str] = field(default_factory=set)  # documents that the server failed on since it last answered

    async def over(self, cases: Sequence[Case], done: set[Key]) -> None:
        """All that is not done yet."""
        self._read = {reading.key for reading in self.folder.readings()}
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
        error, seat = "", self.desk.seat()
        try:
            if not case.document.words:
                raise UsageError("the document is empty")
            outcome = await method.answer(case.document, example.question, seat)
            self._failing.clear()
        except FATAL:
            raise
        except ReadAgentError as failure:
            error = f"{type(failure).__name__}: {failure}"
            self._check_server(case, failure)
        prediction = predicted(self.number, method.name, method.title, case, example, seat.trace, outcome, error)
        if outcome is not None and outcome.reading is not None:
            self._add_reading(method, case, example, outcome.reading)
        self.folder.add_trace(prediction.key, seat.trace)
        self.folder.add(prediction)
        self.paid.add(seat.trace)
        self.tell(prediction)

    def _check_server(self, case: Case, failure: ReadAgentError) -> None:
        if failure.retryable:
            self._failing.add(case.id)
        if len(self._failing) >= _GONE:
            raise failure

    def _add_reading(self, method: Method, case: Case, example: Example, studied: Studied) -> None:
        """What reading the document took, once for each method that needed it, and all that was said for it, once."""
        key = (self.number, method.name, case.id, example.id if studied.own else "")
        if key in self._read:
            return
        self._read.add(key)
        whole = studied.memory.trace if studied.memory is not None else studied.trace
        if (case.id, id(whole)) not in self._traced:
            self._traced.add((case.id, id(whole)))
            self.folder.add_trace(key, whole, reading=True)
            self.paid.add(whole)
        self.folder.add(read_for(key, case, studied))
