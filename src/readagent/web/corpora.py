"""Corpora over HTTP: how far they are, what failed, and letting that wait again. Workers read them elsewhere."""

from __future__ import annotations

import msgspec

from readagent.library.corpus_rows import CorpusRow
from readagent.web.corpus_records import (
    CorpusInList,
    CorpusRecord,
    FailurePage,
    corpus_in_list,
    corpus_record,
    failure_page,
)
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError

_USUAL, _MOST = 50, 1000  # documents in a page of failures


class RetryRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which documents wait again: all that failed or were set aside, or those with this kind of error."""

    kind: str = ""


class Retried(msgspec.Struct, frozen=True):
    """How many documents wait again."""

    documents: int


async def _list(call: Call) -> list[CorpusInList]:
    library = call.service.library

    def found() -> list[CorpusInList]:
        return [corpus_in_list(library, row) for row in library.corpora.all()]

    return await call.service.on_thread(found)


async def _show(call: Call) -> CorpusRecord:
    return await call.service.on_thread(lambda: corpus_record(call.service.library, _corpus(call)))


async def _failures(call: Call) -> FailurePage:
    after, most = call.query_number("after", 0), call.query_number("most", _USUAL)
    if not 0 < most <= _MOST:
        raise RefusedError(400, f"most must be 1 to {_MOST:,}, not {most}")

    def found() -> FailurePage:
        corpora = call.service.library.corpora
        rows = corpora.failures(_corpus(call), kind=call.query("kind"), after=after, most=most + 1)
        return failure_page(rows, most)

    return await call.service.on_thread(found)


async def _retry(call: Call) -> Retried:
    def retry() -> Retried:
        return Retried(call.service.library.corpora.retry(_corpus(call), kind=call.body.kind))

    return await call.service.on_thread(retry)


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
