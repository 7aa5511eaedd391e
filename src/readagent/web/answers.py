"""Questions and answers over HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from readagent.core.plan import LookUp
from readagent.errors import NotInLibraryError
from readagent.library import KeptAnswer
from readagent.library.rows import AnswerNote
from readagent.records.answers import AnswerInHistory, AnswerRecord, TraceRecord, answer_records, trace_record
from readagent.records.jobs import JobRecord
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.work import asked

_LONGEST = 10_000  # characters of a note


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
    return [_noted(one, notes) for one in answer_records(service.library.answers_to(memory), memory)]


def _noted(answer: AnswerRecord, notes: Mapping[int, AnswerNote]) -> AnswerRecord:
    note = notes.get(answer.id, AnswerNote())
    return msgspec.structs.replace(answer, starred=note.starred, note=note.note)


def _show(call: Call) -> AnswerRecord:
    return _noted(call.service.work.answer(call.number("answer")), call.service.library.notes())


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
        among = set(ids)
        ids = [one.id for one in library.answers() if one.id in among and _has(one, notes, words)]
    kept = library.answers(only=ids[offset : offset + limit])
    titles = {row.id: row.name for row in call.service.catalogue.rows()}
    return [_in_history(one, titles.get(one.document, ""), notes.get(one.id, AnswerNote())) for one in kept]


def _has(answer: KeptAnswer, notes: Mapping[int, AnswerNote], words: Sequence[str]) -> bool:
    text = f"{answer.question.text} {answer.text} {notes.get(answer.id, AnswerNote()).note}".casefold()
    return all(word in text for word in words)


def _in_history(one: KeptAnswer, title: str, note: AnswerNote) -> AnswerInHistory:
    answer = one.text or one.choice or ""
    asked, quotes = one.question.text, len(one.quotes)
    return AnswerInHistory(
        one.id, one.document, title, asked, answer, quotes, one.up_to, one.made, note.starred, note.note
    )


def _trace(call: Call) -> TraceRecord:
    number = call.number("answer")
    try:
        answer = call.service.library.answer(number)
    except NotInLibraryError:
        raise RefusedError(404, f"there is no answer {number}") from None
    return trace_record(answer.trace, answer.pages)


OPERATIONS = (
    Operation("POST", "/api/documents/{document}/questions", _ask, "Ask a question.", JobRecord, NewQuestion, 202),
    Operation("GET", "/api/documents/{document}/answers", _list, "List the answers, newest first.", list[AnswerRecord]),
    Operation(
        "GET", "/api/answers", _history, "List the answers about all documents, newest first.", list[AnswerInHistory],
        query=(("q", "words in question, answer or note"), ("starred", "1: only those with a star"),
               ("offset", "answers that are left out"), ("limit", "most answers (30)")),
    ),
    Operation("DELETE", "/api/answers/{answer}", _remove, "Remove an answer and its question."),
    Operation("PUT", "/api/answers/{answer}/note", _note, "Keep a star and a note.", NewNote, NewNote),
    Operation("GET", "/api/answers/{answer}", _show, "Show an answer and what it took.", AnswerRecord),
    Operation("GET", "/api/answers/{answer}/trace", _trace, "Show the prompts and replies of an answer.", TraceRecord),
)  # fmt: skip
