"""Filling shelves: how far that is, what was spent, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from readagent.filling import Filling
from readagent.library.corpus_rows import SourceRow, SourceState
from readagent.records import Record, record


class StatesRecord(Record, frozen=True):
    """How many documents are in each state. One that ``failed`` is tried again; one that was ``set_aside`` is not."""

    waiting: int
    reading: int
    done: int
    failed: int
    set_aside: int


class FailureKind(Record, frozen=True):
    """How many documents failed with this kind of error, how many of them were set aside, and one of them."""

    kind: str
    documents: int
    set_aside: int
    source: str
    reason: str


class WorkerRecord(Record, frozen=True):
    """A worker that has claimed documents. It is ``alive``, or is gone and others read them.

    ``seconds`` since its last sign of life; null if that is not known.
    """

    documents: int
    alive: bool
    seconds: float | None


class FillingRecord(Record, frozen=True):
    """How far the list that fills a shelf is.

    ``documents`` are those on the list: a text in two files is two of them, and one of those ``on_shelf``.
    ``tokens`` are those of prompts and replies. ``cost`` is in US dollars, without the ``unpriced`` calls.
    ``seconds_left`` is null if nobody is reading, or if that cannot be said yet.
    """

    shelf: str
    made: datetime
    documents: int
    on_shelf: int
    pages: int
    calls: int
    tokens: int
    cost: float
    unpriced: int
    states: StatesRecord
    failures: list[FailureKind]
    workers: list[WorkerRecord]
    seconds_left: int | None


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
    """The gist of a page, in an export of a shelf to one file."""

    start: int
    end: int
    gist: str


class ShelfDocument(Record, frozen=True):
    """A document that was read, in an export of a shelf to one file."""

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


def filling_record(filling: Filling) -> FillingRecord:
    """Return how far the list that fills a shelf is."""
    row, progress = filling.row, filling.progress()
    spent, workers = progress.spent, filling.workers()
    return FillingRecord(
        shelf=row.name,
        made=row.made,
        documents=progress.total,
        on_shelf=filling.library.shelves.find(row.name).documents,
        pages=progress.pages,
        calls=spent.calls,
        tokens=spent.tokens,
        cost=spent.cost,
        unpriced=spent.unpriced,
        states=StatesRecord(
            **{name: progress.states.get(name.replace("_", " "), 0) for name in StatesRecord.__struct_fields__}
        ),
        failures=[
            FailureKind(one.kind, one.documents, one.set_aside, one.example.source, one.example.reason)
            for one in filling.failures()
        ],
        workers=[record(WorkerRecord, one) for one in workers],
        seconds_left=filling.seconds_left() if any(one.alive for one in workers) else None,
    )


def failure_page(rows: Sequence[SourceRow], most: int) -> FailurePage:
    """Return the first ``most`` of these sources, and where the rest begins if there are more."""
    shown = [record(FailureRecord, one) for one in rows[:most]]
    return FailurePage(shown, shown[-1].id if len(rows) > most else None)
