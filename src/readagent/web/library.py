"""The library over HTTP: the list by parts, sorted and filtered, and new titles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

import msgspec

from readagent.core.document import LONGEST_TITLE
from readagent.library import DocumentRow
from readagent.records import record
from readagent.records.documents import (
    TAGS,
    DocumentInList,
    DocumentRecord,
    LibraryPart,
    file_or_address,
    in_list,
    tags_in,
)
from readagent.records.jobs import JobRecord
from readagent.web.documents import document_record
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError

_MOST = 200  # documents in one part
_SORTS: dict[str, Callable[[DocumentRow], Any]] = {
    "added": lambda row: row.added,
    "title": lambda row: row.name.casefold(),
    "words": lambda row: row.words,
    "questions": lambda row: row.questions,
}


class NewTitle(msgspec.Struct, forbid_unknown_fields=True):
    """A new title."""

    title: str


class Tagging(msgspec.Struct, forbid_unknown_fields=True):
    """Tags that documents get, and those that they lose."""

    documents: list[str]
    add: list[Annotated[str, msgspec.Meta(max_length=100)]] = []
    remove: list[str] = []


def _list(call: Call) -> LibraryPart:
    rows, ids = call.service.catalogue.rows(), set(filter(None, call.query("ids").split(",")))
    read = {row.id: in_list(row, None)["read"] for row in rows}
    among = [row for row in rows if row.id in ids] if ids else rows
    found = _sorted([row for row in among if _wanted(call, row, read[row.id])], call.query("sort", "-added"))
    offset, limit = call.query_number("offset", 0), min(_MOST, call.query_number("limit", 50))
    shown = found[offset : offset + limit]
    jobs = _jobs(call, {row.id for row in shown if read[row.id] != "yes"})
    going = call.service.jobs.unfinished()
    active = {job.row.document: job.row.id for job in going}
    counts = Counter(read.values())
    return LibraryPart(
        total=len(rows),
        found=len(found),
        unread=counts["no"],
        partly=counts["partly"],
        tags=dict(sorted(Counter(tag for row in rows for tag in tags_in(row.metadata)).items())),
        readings=Counter(job.state for job in going if job.row.kind == "read"),
        documents=[record(DocumentInList, row, **in_list(row, active.get(row.id))) for row in shown],
        jobs=jobs,
    )


def _wanted(call: Call, row: DocumentRow, read: str) -> bool:
    words = call.query("q").casefold().split()
    is_tagged = not call.query("tag") or call.query("tag") in tags_in(row.metadata)
    shown = f"{row.name} {file_or_address(row)}".casefold()
    return is_tagged and call.query("read", read) == read and all(word in shown for word in words)


def _sorted(rows: Sequence[DocumentRow], sort: str) -> list[DocumentRow]:
    by = sort.removeprefix("-")
    if by not in _SORTS:
        raise RefusedError(400, f"nothing is sorted by {by[:40]!r}", hint=f"choose one of {', '.join(_SORTS)}")
    return sorted(rows, key=_SORTS[by], reverse=sort.startswith("-"))


def _jobs(call: Call, documents: set[str]) -> list[JobRecord]:
    """Return the newest job that reads each of these documents."""
    newest: dict[str, JobRecord] = {}
    for job in call.service.jobs.records() if documents else ():
        if job.kind == "read" and job.document in documents:
            newest.setdefault(job.document, job)
    return list(newest.values())


def _rename(call: Call) -> DocumentRecord:
    service, name, title = call.service, call.path("document"), call.body.title.strip()
    service.row(name)
    renamed = replace(service.document(name), title=title)
    if not renamed.title or len(title) > LONGEST_TITLE:
        raise RefusedError(422, f"a title has 1 to {LONGEST_TITLE} characters")
    service.library.describe(renamed)
    service.texts.forget(name)
    service.catalogue.renamed()
    return document_record(service, name)


def _tag(call: Call) -> None:
    service, gone = call.service, set(call.body.remove)
    added = [tag for one in call.body.add if (tag := " ".join(one.split()))]
    for name in call.body.documents:
        service.row(name)
        document = service.document(name)
        tags = sorted({*tags_in(document.metadata), *added} - gone)
        others = {key: value for key, value in document.metadata.items() if key != TAGS}
        service.library.describe(replace(document, metadata={**others, **({TAGS: "\n".join(tags)} if tags else {})}))
        service.texts.forget(name)
    service.catalogue.renamed()


OPERATIONS = (
    Operation(
        "GET", "/api/library", _list, "List a part of the documents, newest first.", LibraryPart,
        query=(
            ("offset", "documents that are left out"), ("limit", f"most documents, up to {_MOST} (50)"),
            ("sort", f"{', '.join(_SORTS)}; with - the largest first (-added)"), ("q", "words of title or file"),
            ("read", "no, partly or yes"), ("tag", "only those with this tag"),
            ("ids", "only these, with commas between them"),
        ),
    ),
    Operation("POST", "/api/library/tags", _tag, "Tag documents, or take tags off.", body=Tagging),
    Operation("PUT", "/api/documents/{document}/title", _rename, "Rename a document.", DocumentRecord, NewTitle),
)  # fmt: skip
