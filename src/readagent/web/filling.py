"""Filling shelves over HTTP: how far that is, what was spent, and what failed."""

from __future__ import annotations

import msgspec

from readagent.filling import Filling
from readagent.library.corpus_rows import CorpusRow
from readagent.records.filling import FailurePage, FillingRecord, failure_page, filling_record
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.shelves import shelf_of

_USUAL, _MOST = 50, 1000  # documents in a page of failures


class RetryRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which documents wait again: all that failed or were set aside, or those with this kind of error."""

    kind: str = ""


class Retried(msgspec.Struct, frozen=True):
    """How many documents wait again."""

    documents: int


def _list(call: Call) -> list[FillingRecord]:
    library = call.service.library
    return [filling_record(Filling(library, row.name)) for row in library.corpora.all()]


def _failures(call: Call) -> FailurePage:
    after, most = call.query_number("after", 0), call.query_number("most", _USUAL)
    if not 0 < most <= _MOST:
        raise RefusedError(400, f"most must be 1 to {_MOST:,}, not {most}")
    corpora = call.service.library.corpora
    return failure_page(corpora.failures(_row(call), kind=call.query("kind"), after=after, most=most + 1), most)


def _retry(call: Call) -> Retried:
    return Retried(call.service.library.corpora.retry(_row(call), kind=call.body.kind))


def _row(call: Call) -> CorpusRow:
    return call.service.library.corpora.find(shelf_of(call).name)


_ONE = "/api/shelves/{shelf:path}"
OPERATIONS = (
    Operation(
        "GET", "/api/filling", _list, "Show how far shelves are filled, what was spent, and what failed.",
        list[FillingRecord],
    ),
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
