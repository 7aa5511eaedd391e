"""The trash over HTTP: what was removed, and how it is restored or deleted for good."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from readagent.errors import NotInLibraryError
from readagent.records import record
from readagent.records.documents import TrashRecord
from readagent.web.documents import remove
from readagent.web.operations import Call, Operation


class NewTrash(msgspec.Struct, forbid_unknown_fields=True):
    """The ids of documents and answers to remove; those that are not there are passed over."""

    documents: list[str] = []
    answers: list[int] = []


class Restoring(msgspec.Struct, forbid_unknown_fields=True):
    """The numbers of what is restored from the trash."""

    numbers: list[int]


def _list(call: Call) -> list[TrashRecord]:
    return [record(TrashRecord, one) for one in call.service.library.trash()]


def _remove(call: Call) -> list[TrashRecord]:
    service, numbers = call.service, set[int | None]()
    for document in call.body.documents:
        with suppress(NotInLibraryError):  # removed elsewhere
            numbers.add(remove(service, document))
    for answer in call.body.answers:
        with suppress(NotInLibraryError):
            numbers.add(service.library.remove_answer(answer))
    return [one for one in _list(call) if one.id in numbers]


def _restore(call: Call) -> list[TrashRecord]:
    return [record(TrashRecord, call.service.library.restore(number)) for number in call.body.numbers]


def _delete(call: Call) -> None:
    call.service.library.empty_trash(call.number("number"))


def _empty(call: Call) -> None:
    call.service.library.empty_trash()


_PATH = "/api/trash"
OPERATIONS = (
    Operation("GET", _PATH, _list, "List what was removed, the last removed first.", list[TrashRecord]),
    Operation(
        "POST", _PATH, _remove, "Remove documents and answers; return what of them is in the trash.",
        list[TrashRecord], NewTrash,
    ),
    Operation("POST", f"{_PATH}/restore", _restore, "Restore documents and answers.", list[TrashRecord], Restoring),
    Operation("DELETE", f"{_PATH}/{{number}}", _delete, "Delete a document or an answer for good."),
    Operation("DELETE", _PATH, _empty, "Delete everything in the trash for good."),
)  # fmt: skip
