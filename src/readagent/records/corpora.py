"""Corpora: how far they are, what was spent, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from readagent.library.corpus_rows import Progress, SourceRow, SourceState
from readagent.records import Record, record


class CorpusInList(Record, frozen=True):
    """A corpus, and the shelf that its documents are on."""

    id: int
    name: str
    shelf: str
    made: datetime


class StatesRecord(Record, frozen=True):
    """How many documents are in each state. One that ``failed`` is tried again; one that was ``set_aside`` is not."""

    waiting: int
    reading: int
    done: int
    failed: int
    set_aside: int


class FailureKind(Record, frozen=True):
    """How many documents failed, or were set aside, with this kind of error."""

    kind: str
    documents: int


class CorpusRecord(CorpusInList, frozen=True):
    """How far a corpus is. ``workers`` are reading it now.

    ``tokens`` are those of prompts and replies. ``cost`` is in US dollars; null: the price is not known.
    ``seconds_left`` is null if nobody is reading, or if that cannot be said yet.
    """

    documents: int
    pages: int
    calls: int
    tokens: int
    cost: float | None
    states: StatesRecord
    failures: list[FailureKind]
    workers: int
    seconds_left: int | None


class CorpusStatus(Record, frozen=True):
    """How far a corpus is, as `corpus status --json` prints it: documents by state, and by kind of error.

    Over HTTP it is a ``CorpusRecord``, which names all states and orders the errors.
    """

    corpus: str
    documents: int
    pages: int
    calls: int
    tokens: int
    cost: float | None
    states: dict[str, int]
    failures: dict[str, int]


class FailureRecord(Record, frozen=True):
    """A document that could not be read, and why."""

    id: int
    source: str
    state: SourceState
    kind: str
    reason: str
    tries: int
    changed: datetime


class GistOfPage(Record, frozen=True):
    """The gist of a page, in an export of a corpus."""

    start: int
    end: int
    gist: str


class CorpusDocument(Record, frozen=True):
    """A document that was read, in an export of a corpus."""

    source: str
    document: str
    title: str
    metadata: dict[str, str]
    card: str
    pages: list[GistOfPage]


class FailurePage(Record, frozen=True):
    """Some documents that could not be read. ``next`` is the value of ``after`` for those that follow, or null."""

    failures: list[FailureRecord]
    next: int | None


def figures(progress: Progress) -> dict[str, Any]:
    """Return the fields that say what was read and spent, the same for `corpus status --json` and over HTTP."""
    spent = progress.spent
    return {
        "documents": progress.total,
        "pages": progress.pages,
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": spent.total_cost,
    }


def corpus_status(name: str, progress: Progress) -> CorpusStatus:
    """Return how far a corpus is."""
    states, failures = dict(progress.states), dict(progress.failures)
    return CorpusStatus(corpus=name, **figures(progress), states=states, failures=failures)


def states_and_failures(progress: Progress) -> dict[str, Any]:
    """Return the documents by state, and by kind of error with the most frequent kind first."""
    states = {name: progress.states.get(name.replace("_", " "), 0) for name in StatesRecord.__struct_fields__}
    most_first = sorted(progress.failures.items(), key=lambda one: (-one[1], one[0]))
    return {"states": states, "failures": [FailureKind(*one) for one in most_first]}


def failure_page(rows: Sequence[SourceRow], most: int) -> FailurePage:
    """Return the first ``most`` of these sources, and where the rest begins if there are more."""
    shown = [record(FailureRecord, one) for one in rows[:most]]
    return FailurePage(shown, shown[-1].id if len(rows) > most else None)
