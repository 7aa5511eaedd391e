"""Jobs as clients get them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from readagent.library.jobs import JobRow, JobState

JobKind = Literal["read", "ask", "overview", "shelf_add", "shelf_ask"]


class JobProgress(msgspec.Struct, frozen=True):
    """How far a job is: ``done`` of ``total``, and in words."""

    done: int
    total: int
    what: str


class JobRecord(msgspec.Struct, frozen=True):
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
    return JobRecord(
        id=row.id,
        kind=row.kind,  # type: ignore[arg-type]
        document=row.document,
        shelf=row.shelf,
        subject=subject,
        request=dict(row.request),
        state=row.state,
        reason=report.reason,
        hint=report.hint,
        progress=JobProgress(report.done, report.total, report.what),
        calls=report.calls,
        tokens=report.tokens,
        cost=report.cost,
        result=result,
        created=row.created,
        changed=row.changed,
    )
