"""Corpora over HTTP: how far they are, what failed, and letting that wait again. Workers read them elsewhere."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from readagent.library import Library
from readagent.library.corpus_rows import CorpusRow
from readagent.records import record
from readagent.records.corpora import (
    CorpusInList,
    CorpusRecord,
    FailurePage,
    failure_page,
    figures,
    states_and_failures,
)
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError

_USUAL, _MOST = 50, 1000  # documents in a page of failures
_WINDOWS = (timedelta(minutes=5), timedelta(hours=1))  # in which the pace is measured: the first, if enough ended in it
_ENOUGH = 10  # documents
_LEAST = timedelta(seconds=2)


class RetryRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which documents wait again: all that failed or were set aside, or those with this kind of error."""

    kind: str = ""


class Retried(msgspec.Struct, frozen=True):
    """How many documents wait again."""

    documents: int


def _list(call: Call) -> list[CorpusInList]:
    library = call.service.library
    return [record(CorpusInList, row, shelf=library.shelves.named(row.shelf)) for row in library.corpora.all()]


def _show(call: Call) -> CorpusRecord:
    library, row = call.service.library, _corpus(call)
    progress, workers = library.corpora.progress(row), sum(one.alive for one in library.corpora.workers(row))
    left = _seconds_left(library, row, progress.left) if workers else None
    told = {**figures(progress), **states_and_failures(progress)}
    return record(CorpusRecord, row, **told, shelf=library.shelves.named(row.shelf), workers=workers, seconds_left=left)


def _seconds_left(library: Library, row: CorpusRow, left: int) -> int | None:
    """Return how long the rest takes at the pace of the last minutes; None if too little ended in them."""
    for window in _WINDOWS:
        ended, passed = library.corpora.ended_within(row, window)
        if ended >= _ENOUGH:
            break
    return None if ended < 2 or passed < _LEAST else round(left * passed.total_seconds() / (ended - 1))


def _failures(call: Call) -> FailurePage:
    after, most = call.query_number("after", 0), call.query_number("most", _USUAL)
    if not 0 < most <= _MOST:
        raise RefusedError(400, f"most must be 1 to {_MOST:,}, not {most}")
    corpora = call.service.library.corpora
    return failure_page(corpora.failures(_corpus(call), kind=call.query("kind"), after=after, most=most + 1), most)


def _retry(call: Call) -> Retried:
    return Retried(call.service.library.corpora.retry(_corpus(call), kind=call.body.kind))


def _corpus(call: Call) -> CorpusRow:
    try:
        return call.service.library.corpora.numbered(call.number("corpus"))
    except RefusedError as error:  # it is not a number
        raise RefusedError(error.status, str(error), hint="use the id from GET /api/corpora") from None


_ONE = "/api/corpora/{corpus}"
OPERATIONS = (
    Operation("GET", "/api/corpora", _list, "List the corpora.", list[CorpusInList]),
    Operation("GET", _ONE, _show, "Show how far a corpus is, what was spent, and what failed.", CorpusRecord),
    Operation(
        "GET", f"{_ONE}/failures", _failures, "List documents that failed or were set aside, with their reasons.",
        FailurePage,
        query=(
            ("kind", "only this kind of error"),
            ("after", "only documents with a greater id; next of the response before is the value for more"),
            ("most", f"how many; {_USUAL} unless given, at most {_MOST}"),
        ),
    ),
    Operation("POST", f"{_ONE}/retry", _retry, "Let documents that failed wait again.", Retried, RetryRequest),
)  # fmt: skip
