"""Questions and answers over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec

from readagent.core.plan import LookUp
from readagent.core.shelf.shelf_answer import ShelfAnswer
from readagent.errors import NotInLibraryError
from readagent.library import KeptAnswer, KeptShelfAnswer
from readagent.library.rows import AnswerNote
from readagent.records import record
from readagent.records.answers import (
    AnswerInHistory,
    AnswerRecord,
    ShelfAnswerRecord,
    TraceRecord,
    answer_records,
    trace_record,
)
from readagent.records.jobs import JobRecord
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.work import asked

_LONGEST = 10_000  # characters of a note
A = TypeVar("A", bound=AnswerRecord | ShelfAnswerRecord)
_SCHEMAS = [{"$ref": f"#/components/schemas/{kind.__name__}"} for kind in (AnswerRecord, ShelfAnswerRecord)]
_ANY = Annotated[Any, msgspec.Meta(extra_json_schema={"anyOf": _SCHEMAS})]


class NewQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question about a document: free, with ``choices``, or a ``claim`` to be judged.

    ``up_to`` is an offset: nothing after it is shown to the model. ``history`` are ids of earlier answers. With
    ``read`` a document that was not read is read first.
    """

    question: str
    choices: list[str] = []
    claim: bool = False
    up_to: int | None = None
    history: list[int] = []
    look_up: LookUp | None = None
    read: bool = False


class NewNote(msgspec.Struct, forbid_unknown_fields=True):
    """What somebody notes about an answer, in place of what was noted before."""

    starred: bool = False
    note: str = ""


def _ask(call: Call) -> JobRecord:
    service, name, body = call.service, call.path("document"), call.body
    asked(msgspec.to_builtins(body))
    service.row(name)
    if not body.read:
        service.memory(name)
    service.check_place(name, body.up_to)
    for number in body.history:
        service.library.kept_answer(number)
    return service.jobs.record_of(service.jobs.add("ask", msgspec.to_builtins(body), document=name))


def _list(call: Call) -> list[AnswerRecord]:
    service, name = call.service, call.path("document")
    service.row(name)
    memory = service.texts.memory(name)
    if memory is None:
        return []
    notes = service.library.notes()
    return [noted(one, notes) for one in answer_records(service.library.answers_to(memory), memory)]


def noted(answer: A, notes: Mapping[int, AnswerNote]) -> A:
    """Return an answer with what a person noted about it."""
    note = notes.get(answer.id, AnswerNote())
    return msgspec.structs.replace(answer, starred=note.starred, note=note.note)


def _show(call: Call) -> AnswerRecord | ShelfAnswerRecord:
    return noted(call.service.work.answer(call.number("answer")), call.service.library.notes())


def _remove(call: Call) -> None:
    call.service.library.remove_answer(call.number("answer"))


def _note(call: Call) -> NewNote:
    if len(call.body.note) > _LONGEST:
        raise RefusedError(422, f"a note has at most {_LONGEST:,} characters")
    call.service.library.annotate(call.number("answer"), AnswerNote(call.body.starred, call.body.note.strip()))
    return NewNote(call.body.starred, call.body.note.strip())


def _history(call: Call) -> list[AnswerInHistory]:
    """Only the answers of one part are loaded, unless words are looked for in all of them."""
    library, words, notes = call.service.library, call.query("q").casefold().split(), call.service.library.notes()
    offset, limit = call.query_number("offset", 0), min(100, call.query_number("limit", 30))
    ids = [one for one in library.answer_ids() if not call.query("starred") or notes.get(one, AnswerNote()).starred]
    if words:
        return [one for one in _in_history(call, ids) if _has(one, words)][offset : offset + limit]
    return _in_history(call, ids[offset : offset + limit])


def _has(one: AnswerInHistory, words: Sequence[str]) -> bool:
    text = f"{one.question} {one.answer} {one.note}".casefold()
    return all(word in text for word in words)


def _in_history(call: Call, ids: Collection[int]) -> list[AnswerInHistory]:
    """Return these answers, about documents and from shelves, newest first."""
    library, notes = call.service.library, call.service.library.notes()
    titles = {row.id: row.name for row in call.service.catalogue.rows()}

    def short(kept: KeptAnswer | KeptShelfAnswer, said: KeptAnswer | ShelfAnswer, **about: Any) -> AnswerInHistory:
        note, answer = notes.get(kept.id, AnswerNote()), said.text or said.choice or ""
        told = {"question": said.question.text, "answer": answer, "quotes": len(said.quotes)}
        return record(AnswerInHistory, kept, **about, **told, starred=note.starred, note=note.note)

    found = [
        short(
            one, one, shelf="", documents=[one.document], title=titles.get(one.document, ""),
            up_to={} if one.up_to is None else {one.document: one.up_to}, among=1, unread=0,
        )
        for one in library.answers(only=ids)
    ]  # fmt: skip
    for one in library.shelves.some_answers(ids):
        said = one.answer
        documents = [card.document for card in said.documents]
        about = {"shelf": one.shelf, "title": one.shelf, "among": said.among, "unread": said.unread}
        found.append(short(one, said, documents=documents, up_to=said.up_to, **about))
    return sorted(found, key=lambda one: -one.id)


def _trace(call: Call) -> TraceRecord:
    number, library = call.number("answer"), call.service.library
    if library.shelves.some_answers([number]):
        from_shelf = library.shelves.answer(number).answer
        return trace_record(from_shelf.trace, from_shelf.pages)
    try:
        answer = library.answer(number)
    except NotInLibraryError:
        raise RefusedError(404, f"there is no answer {number}") from None
    return trace_record(answer.trace, answer.pages)


OPERATIONS = (
    Operation("POST", "/api/documents/{document}/questions", _ask, "Ask a question.", JobRecord, NewQuestion, 202),
    Operation("GET", "/api/documents/{document}/answers", _list, "List the answers, newest first.", list[AnswerRecord]),
    Operation(
        "GET", "/api/answers", _history, "List the answers, also those from shelves, newest first.",
        list[AnswerInHistory],
        query=(("q", "words in question, answer or note"), ("starred", "1: only those with a star"),
               ("offset", "answers that are left out"), ("limit", "most answers (30)")),
    ),
    Operation("DELETE", "/api/answers/{answer}", _remove, "Remove an answer and its question."),
    Operation("PUT", "/api/answers/{answer}/note", _note, "Keep a star and a note.", NewNote, NewNote),
    Operation("GET", "/api/answers/{answer}", _show, "Show an answer and what it took.", _ANY),
    Operation("GET", "/api/answers/{answer}/trace", _trace, "Show the prompts and replies of an answer.", TraceRecord),
)  # fmt: skip
