"""Overviews over HTTP: summaries, outlines, people, timelines and other lists about a whole text."""

from __future__ import annotations

from typing import Annotated

import msgspec

from readagent.core.overviews.points import columns_in
from readagent.library.jobs import JobRow
from readagent.records.jobs import JobRecord
from readagent.records.overviews import OverviewKind, OverviewRecord
from readagent.web.operations import Call, Operation
from readagent.web.overview_making import mark_of


class NewOverview(msgspec.Struct, forbid_unknown_fields=True):
    """What to make: ``words`` and ``audience`` are for a summary, ``count`` for questions, ``headings`` for a table.

    Headings are separated by commas. ``up_to`` is an offset, see questions.
    """

    kind: OverviewKind
    words: Annotated[int, msgspec.Meta(ge=10, le=20_000)] = 300
    count: Annotated[int, msgspec.Meta(ge=1, le=500)] = 10
    audience: Annotated[str, msgspec.Meta(max_length=200)] = ""
    headings: str = ""
    chapter: str = ""
    up_to: int | None = None
    retry: bool = False


def _make(call: Call) -> JobRecord:
    service, name, body = call.service, call.path("document"), call.body
    request = msgspec.to_builtins(body)
    if body.kind == "extract":
        columns_in(body.headings)
    else:
        del request["headings"]
    service.row(name)
    service.memory(name)
    service.check_place(name, body.up_to)
    return service.jobs.record_of(service.jobs.add("overview", request, document=name))


def _list(call: Call) -> list[OverviewRecord]:
    service, name = call.service, call.path("document")
    service.row(name)
    memory = service.texts.memory(name)
    now = "" if memory is None else mark_of(memory)
    return [overview_record(row, now) for row in service.library.jobs.made("overview", name)]


def overview_record(row: JobRow, memory: str) -> OverviewRecord:
    """Return the overview that a job has made; ``memory`` is the mark of the memory that the document has now."""
    options = {name: value for name, value in row.request.items() if name not in ("kind", "retry")}
    made = {**(row.result or {}), "id": row.id, "kind": row.request["kind"], "options": options, "made": row.changed}
    return msgspec.convert({**made, "outdated": made.get("memory", memory) != memory}, OverviewRecord)


_PATH = "/api/documents/{document}/overviews"
OPERATIONS = (
    Operation("POST", _PATH, _make, "Make an overview of the whole text.", JobRecord, NewOverview, 202),
    Operation("GET", _PATH, _list, "List the overviews made so far, newest first.", list[OverviewRecord]),
)
