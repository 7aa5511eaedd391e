"""Jobs of `readagent serve` as clients get them, and their results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from readagent.library.jobs import JobRow, JobState
from readagent.records import Record, record
from readagent.records.answers import AnswerRecord, ShelfAnswerRecord

JobKind = Literal["read", "ask", "overview", "shelf_ask"]


class JobProgress(Record, frozen=True):
    """How far a job is: ``done`` of ``total``, and in words."""

    done: int
    total: int
    what: str


class ReadingResult(Record, frozen=True):
    """What a job has read. ``failed_pages`` are those without a gist."""

    document: str
    pages: int
    gist_words: int
    failed_pages: list[int]
    warnings: list[str]


RESULTS = (ReadingResult, AnswerRecord, ShelfAnswerRecord)  # and, for overviews, what OverviewRecord has
_OVERVIEW = {"type": "object", "description": "OverviewRecord, without the fields that are those of the job"}
_ANY_RESULT = [*({"$ref": f"#/components/schemas/{kind.__name__}"} for kind in RESULTS), _OVERVIEW, {"type": "null"}]


class JobRecord(Record, frozen=True):
    """A job. ``subject`` is what it is about, as a person would name it; ``result`` depends on its kind.

    ``reason`` and ``hint`` say why it failed, or, while it runs, why it waits for the model.
    """

    id: int
    kind: JobKind
    document: str
    shelf: str
    subject: str
    request: dict[str, Any]
    state: JobState
    reason: str
    hint: str
    progress: JobProgress
    calls: int
    tokens: int
    cost: float | None
    result: Annotated[Any, Meta(extra_json_schema={"anyOf": _ANY_RESULT})]
    created: datetime
    changed: datetime


def job_record(row: JobRow, subject: str, result: Any) -> JobRecord:
    """Return what clients see of a job."""
    report = row.report
    told = {name: getattr(report, name) for name in ("reason", "hint", "calls", "tokens", "cost")}
    return record(JobRecord, row, subject=subject, progress=report, result=result, **told)
