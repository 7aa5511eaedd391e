"""Jobs as clients get them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from readagent.library.jobs import JobRow, JobState
from readagent.records import Record, record

JobKind = Literal["read", "ask", "overview", "shelf_add", "shelf_ask"]


class JobProgress(Record, frozen=True):
    """How far a job is: ``done`` of ``total``, and in words."""

    done: int
    total: int
    what: str


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
    result: Any
    created: datetime
    changed: datetime


def job_record(row: JobRow, subject: str, result: Any) -> JobRecord:
    """Return what clients see of a job."""
    report = row.report
    told = {name: getattr(report, name) for name in ("reason", "hint", "calls", "tokens", "cost")}
    return record(JobRecord, row, subject=subject, progress=report, result=result, **told)
