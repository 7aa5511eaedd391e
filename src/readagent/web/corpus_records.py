"""Corpora as clients get them: how far they are, what was spent, how long the rest takes, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from readagent.library import Library
from readagent.library.corpus_rows import CorpusRow, Progress, SourceRow, SourceState

_WINDOWS = (timedelta(minutes=5), timedelta(hours=1))  # in which the pace is measured: the first, if enough ended in it
_ENOUGH = 10  # documents
_LEAST = timedelta(seconds=2)


class CorpusInList(msgspec.Struct, frozen=True):
    """A corpus, and the shelf that its documents are on."""

    id: int
    name: str
    shelf: str
    made: datetime


class StatesRecord(msgspec.Struct, frozen=True):
    """How many documents are in each state. One that ``failed`` is tried again; one that was ``set_aside`` is not."""

    waiting: int
    reading: int
    done: int
    failed: int
    set_aside: int


class FailureKind(msgspec.Struct, frozen=True):
    """How many documents failed, or were set aside, with this kind of error."""

    kind: str
    documents: int


class CorpusRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How far a corpus is. ``workers`` are reading it now.

    ``tokens`` are those of prompts and replies. ``cost`` is in US dollars; null: the price is not known.
    ``seconds_left`` is null if nobody is reading, or if that cannot be said yet.
    """

    id: int
    name: str
    shelf: str
    made: datetime
    documents: int
    states: StatesRecord
    pages: int
    calls: int
    tokens: int
    cost: float | None
    failures: list[FailureKind]
    workers: int
    seconds_left: int | None


class FailureRecord(msgspec.Struct, frozen=True):
    """A document that could not be read, and why."""

    id: int
    source: str
    state: SourceState
    kind: str
    reason: str
    tries: int
    changed: datetime


class FailurePage(msgspec.Struct, frozen=True):
    """Some documents that could not be read. ``next`` is the value of ``after`` for those that follow, or null."""

    failures: list[FailureRecord]
    next: int | None


def corpus_in_list(library: Library, row: CorpusRow) -> CorpusInList:
    """Return a corpus for a list; nothing is counted."""
    return CorpusInList(row.id, row.name, library.shelves.named(row.shelf), row.made)


def corpus_record(library: Library, row: CorpusRow) -> CorpusRecord:
    """Return how far a corpus is now."""
    progress, workers = library.corpora.progress(row), library.corpora.workers(row)
    states = {name.replace(" ", "_"): number for name, number in progress.states.items()}
    return CorpusRecord(
        id=row.id,
        name=row.name,
        shelf=library.shelves.named(row.shelf),
        made=row.made,
        documents=progress.total,
        states=StatesRecord(**{name: states.get(name, 0) for name in StatesRecord.__struct_fields__}),
        pages=progress.pages,
        calls=progress.spent.calls,
        tokens=progress.spent.tokens,
        cost=progress.spent.total_cost,
        failures=[FailureKind(kind, number) for kind, number in _most_first(progress)],
        workers=workers,
        seconds_left=_seconds_left(library, row, progress.left) if workers else None,
    )


def failure_page(rows: Sequence[SourceRow], most: int) -> FailurePage:
    """Return the first ``most`` of these sources, and where the rest begins if there are more."""
    shown = [
        FailureRecord(one.id, one.source, one.state, one.kind, one.reason, one.tries, one.changed)
        for one in rows[:most]
    ]
    return FailurePage(shown, shown[-1].id if len(rows) > most else None)


def _most_first(progress: Progress) -> list[tuple[str, int]]:
    return sorted(progress.failures.items(), key=lambda one: (-one[1], one[0]))


def _seconds_left(library: Library, row: CorpusRow, left: int) -> int | None:
    """Return how long the rest takes at the pace of the last minutes; None if too little ended in them."""
    for window in _WINDOWS:
        ended, passed = library.corpora.ended_within(row, window)
        if ended >= _ENOUGH:
            break
    return None if ended < 2 or passed < _LEAST else round(left * passed.total_seconds() / (ended - 1))
