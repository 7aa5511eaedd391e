"""Documents over HTTP: the list, the text, the pages and gists, what reading takes, and exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from readagent.core.languages import language
from readagent.core.memory import GistMemory
from readagent.core.plan import preset
from readagent.export import FORMATS
from readagent.export.evidence import known_up_to
from readagent.library import KeptAnswer
from readagent.records import record
from readagent.records.documents import (
    DocumentInList,
    DocumentRecord,
    EstimatesRecord,
    PageInChapter,
    TextRecord,
    chapters_of,
    estimates_record,
    found_pages,
    in_chapters,
    in_list,
    page_records,
)
from readagent.records.jobs import JobRecord
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.service import Service

_MOST_TEXT = 200_000  # characters in one response
_SAMPLE = 100_000  # characters that tell the language of a text


class NewGist(msgspec.Struct, forbid_unknown_fields=True):
    """A gist of the user's own, which stays whatever the document is read with.

    With ``before``, the gist that it is to replace, a gist that somebody else has changed since is not overwritten.
    """

    text: str
    before: str | None = None


class NewReading(msgspec.Struct, forbid_unknown_fields=True):
    """How to read: with a ``preset``, or ``retry`` only the pages that have no usable gist."""

    preset: str = ""
    retry: bool = False


def document_record(service: Service, document_id: str) -> DocumentRecord:
    """Return a document with its chapters."""
    row, document = service.row(document_id), service.document(document_id)
    readings = [one for one in service.library.readings(document_id) if one.state == "done"]
    jobs = service.jobs.of_document(document_id)
    return record(
        DocumentRecord,
        row,
        **in_list(row, jobs[-1].row.id if jobs else None),
        chapters=chapters_of(document),
        language=language(document.text[:_SAMPLE]),
        characters=len(document.text),
        model=readings[0].model if readings else "",
        state=service.texts.state(document_id),
        metadata=document.metadata,
        original=service.library.has_original(document_id),
    )


def _list(call: Call) -> list[DocumentInList]:
    jobs = {job.row.document: job.row.id for job in call.service.jobs.unfinished()}
    return [record(DocumentInList, row, **in_list(row, jobs.get(row.id))) for row in call.service.catalogue.rows()]


def _show(call: Call) -> DocumentRecord:
    library, name = call.service.library, call.path("document")
    grown = library.successor(name) if library.row(name) is None else None
    return document_record(call.service, grown or name)


def remove(service: Service, name: str) -> int | None:
    """Move a document to the trash, stop what is done with it, and return the number that it has there."""
    service.row(name)
    service.jobs.stop_all(document_id=name)
    removed = service.library.remove(name)
    service.texts.forget(name)
    return removed


def _remove(call: Call) -> None:
    remove(call.service, call.path("document"))


def _text(call: Call) -> TextRecord:
    document = call.service.document(call.path("document"))
    total = len(document.text)
    start = min(call.query_number("start", 0), total)
    end = max(start, min(call.query_number("end", total), start + _MOST_TEXT, total))
    return TextRecord(start, end, total, document.text[start:end])


def _pages(call: Call) -> list[PageInChapter]:
    service, name = call.service, call.path("document")
    service.row(name)
    reading = service.jobs.reading(name)
    pages, gists = reading.feed.pages() if reading is not None else ({}, {})
    if pages:
        return in_chapters(service.document(name), found_pages(service.document(name), pages, gists))
    memory = service.texts.memory(name)
    return [] if memory is None else _pages_of(service, memory)


def _pages_of(service: Service, memory: GistMemory) -> list[PageInChapter]:
    pinned = service.library.pinned(memory.document.id, task=memory.plan.task)
    return in_chapters(memory.document, page_records(memory, pinned=pinned))


def _pin(call: Call) -> PageInChapter:
    if not call.body.text.strip():
        raise RefusedError(422, "the gist is empty", hint="to get the model's gist back, DELETE it")

    def pin(memory: GistMemory, number: int) -> GistMemory:
        if call.body.before not in (None, memory.gists[number].text):
            raise RefusedError(409, "this gist has been changed in the meantime", hint="get the pages again")
        return call.service.library.pin(memory, {number: call.body.text})

    return _changed(call, pin)


def _unpin(call: Call) -> PageInChapter:
    return _changed(call, lambda memory, number: call.service.library.unpin(memory, [number]))


def _changed(call: Call, change: Callable[[GistMemory, int], GistMemory]) -> PageInChapter:
    service, name, number = call.service, call.path("document"), call.number("page")
    memory = service.memory(name)
    if number >= len(memory.pages):
        raise RefusedError(404, f"there is no page {number}", hint=f"the last one is {len(memory.pages) - 1}")
    change(memory, number)
    return _pages_of(service, service.memory(name))[number]


async def _estimate(call: Call) -> EstimatesRecord:
    service = call.service
    document = await service.on_thread(service.document, call.path("document"))
    return estimates_record(await service.worker.call(service.agent.estimate(document)))


def _read(call: Call) -> JobRecord:
    service, name, request = call.service, call.path("document"), msgspec.to_builtins(call.body)
    service.row(name)
    known = service.jobs.reading(name)
    if known is not None:
        hint = "resume that reading" if known.state == "paused" else "wait until it is read"
        raise RefusedError(409, "this document is being read already", hint=hint)
    if call.body.preset:
        preset(call.body.preset)  # an unknown name is an error now
    if call.body.retry:
        service.memory(name)
    return service.jobs.record_of(service.jobs.add("read", request, document=name))


def _export(call: Call) -> Response:
    service, name, form = call.service, call.path("document"), call.query("format", "markdown")
    if form not in FORMATS:
        raise RefusedError(400, f"there is no export to {form[:40]!r}", hint=f"choose one of {', '.join(FORMATS)}")
    chosen = FORMATS[form]
    memory = service.memory(name)
    answers: Sequence[KeptAnswer] = service.library.answers_to(memory)
    if call.query("up_to"):
        place = call.query_number("up_to", 0)
        service.check_place(name, place)
        memory, answers = known_up_to(memory, answers, place)
    data = chosen.write(memory, answers)
    file = quote(f"{memory.document.title or name}{chosen.suffixes[0]}".encode("utf-8", "replace"), safe="")
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{file}",
        "content-security-policy": "default-src 'none'; sandbox",
    }
    return Response(data, headers=headers, media_type=chosen.media_type)


_ONE = "/api/documents/{document}"
OPERATIONS = (
    Operation("GET", "/api/documents", _list, "List the documents.", list[DocumentInList]),
    Operation("GET", _ONE, _show, "Show a document, or the one that it grew into.", DocumentRecord),
    Operation("DELETE", _ONE, _remove, "Remove a document with its readings and answers."),
    Operation(
        "GET", f"{_ONE}/text", _text, f"Return a part of the text, at most {_MOST_TEXT:,} characters.", TextRecord,
        query=(("start", "offset of the first character"), ("end", "offset after the last character")),
    ),
    Operation("GET", f"{_ONE}/pages", _pages, "List the pages, also those found so far.", list[PageInChapter]),
    Operation("PUT", f"{_ONE}/pages/{{page}}/gist", _pin, "Replace a gist and pin it.", PageInChapter, NewGist),
    Operation("DELETE", f"{_ONE}/pages/{{page}}/gist", _unpin, "Unpin a gist: the model's comes back.", PageInChapter),
    Operation("GET", f"{_ONE}/estimate", _estimate, "Estimate what reading takes. No text is sent.", EstimatesRecord),
    Operation("POST", f"{_ONE}/readings", _read, "Read the document.", JobRecord, NewReading, 202),
    Operation(
        "GET", f"{_ONE}/export", _export, "Download pages, gists and answers.", media="application/octet-stream",
        query=(("format", ", ".join(FORMATS)), ("up_to", "an offset: nothing after it is exported")),
    ),
)  # fmt: skip
