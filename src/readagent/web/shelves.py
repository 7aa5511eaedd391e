"""Shelves over HTTP: groups of documents that are asked together."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import structs

from readagent.errors import NotInLibraryError
from readagent.library import ShelfRow
from readagent.records import record
from readagent.records.answers import ShelfInList, card_records, shelf_answer_record
from readagent.records.documents import DocumentInList, ShelfRecord, in_list, source_of
from readagent.records.jobs import JobRecord
from readagent.web.answers import noted
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.service import Service
from readagent.web.work import asked


class NewShelf(msgspec.Struct, forbid_unknown_fields=True):
    """A new shelf."""

    name: str


class ShelfQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question about the documents of a shelf. With ``compare`` each of them is asked for one line.

    ``up_to`` are offsets by document: nothing after them is shown to the model.
    """

    question: str
    choices: list[str] = []
    claim: bool = False
    compare: bool = False
    up_to: dict[str, int] = {}


def _list(call: Call) -> list[ShelfInList]:
    return [record(ShelfInList, row) for row in call.service.library.shelves.all()]


def _new(call: Call) -> ShelfInList:
    return record(ShelfInList, call.service.library.shelves.new(call.body.name))


def _show(call: Call) -> ShelfRecord:
    library, name = call.service.library, shelf_of(call).name
    shelves, notes, rows = library.shelves, library.notes(), {row.id: row for row in call.service.catalogue.rows()}
    cards = [
        structs.replace(one, source=source_of(rows[one.id]) if one.id in rows else "")
        for one in card_records(shelves.cards(name))
    ]
    reading = {job.row.document: job.row.id for job in call.service.jobs.unfinished()}
    others = [rows[one] for one in shelves.without_card(name) if one in rows]
    waiting = [record(DocumentInList, row, **in_list(row, reading.get(row.id))) for row in others]
    answers = [noted(shelf_answer_record(one), notes) for one in shelves.answers(name)]
    return ShelfRecord(name, cards, waiting, answers)


def _remove(call: Call) -> None:
    row = shelf_of(call)
    name = row.name
    call.service.library.corpora.check_free(row.id)
    call.service.jobs.stop_all(shelf=name)
    call.service.library.shelves.remove(name)


def _put(call: Call) -> None:
    call.service.library.shelves.put(shelf_of(call).name, call.path("document"))


def _take_off(call: Call) -> None:
    call.service.library.shelves.take_off(shelf_of(call).name, call.path("document"))


def _ask(call: Call) -> JobRecord:
    service, request = call.service, msgspec.to_builtins(call.body)
    asked(request)
    row = shelf_of(call)
    if not row.documents:
        raise RefusedError(409, f"there are no documents on the shelf {row.name!r}", hint="put some on it first")
    unread = set(service.library.shelves.without_card(row.name))
    if len(unread) == row.documents and all(service.texts.memory(one) is None for one in unread):
        raise RefusedError(409, f"no document on the shelf {row.name!r} has been read yet", hint="read some first")
    _check_places(service, row.name, call.body.up_to)
    return service.jobs.record_of(service.jobs.add("shelf_ask", request, shelf=row.name))


def _check_places(service: Service, shelf: str, places: Mapping[str, int]) -> None:
    """Refuse reading positions that are none, or in documents that are not on the shelf."""
    shelves = service.library.shelves
    known = {*(card.document for card in shelves.cards(shelf)), *shelves.without_card(shelf)}
    for document, place in places.items():
        if document not in known:
            raise RefusedError(422, f"up_to names {document[:40]!r}, which is not on the shelf {shelf!r}")
        service.check_place(document, place)


def shelf_of(call: Call) -> ShelfRow:
    """Return the shelf with exactly this name; part of a name is not enough here."""
    name = " ".join(call.path("shelf").split())
    row = call.service.library.shelves.find(name)
    if row.name.casefold() != name.casefold():
        raise NotInLibraryError(f"there is no shelf {name!r}", hint=f"did you mean {row.name!r}?")
    return row


_ONE = "/api/shelves/{shelf:path}"
OPERATIONS = (
    Operation("GET", "/api/shelves", _list, "List the shelves.", list[ShelfInList]),
    Operation("POST", "/api/shelves", _new, "Create an empty shelf.", ShelfInList, NewShelf, 201),
    Operation("PUT", f"{_ONE}/documents/{{document}}", _put, "Put a document on a shelf, also one that was not read."),
    Operation("DELETE", f"{_ONE}/documents/{{document}}", _take_off, "Take a document off a shelf."),
    Operation("POST", f"{_ONE}/questions", _ask, "Ask all documents of a shelf.", JobRecord, ShelfQuestion, 202),
    Operation("GET", _ONE, _show, "Show a shelf with its documents and answers.", ShelfRecord),
    Operation("DELETE", _ONE, _remove, "Remove a shelf; its documents stay."),
)  # fmt: skip
