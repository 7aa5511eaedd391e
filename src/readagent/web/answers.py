"""Questions and answers over HTTP."""

from __future__ import annotations

import msgspec

from readagent.core.plan import LookUp
from readagent.errors import NotInLibraryError
from readagent.records.answers import AnswerRecord, TraceRecord, answer_records, trace_record
from readagent.records.jobs import JobRecord
from readagent.web.operations import Call, Operation
from readagent.web.problems import RefusedError
from readagent.web.work import asked


class NewQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """A question about a document: free, with ``choices``, or a ``claim`` to be judged.

    ``up_to`` is an offset: nothing after it is shown to the model. ``history`` are ids of earlier answers.
    """

    question: str
    choices: list[str] = []
    claim: bool = False
    up_to: int | None = None
    history: list[int] = []
    look_up: LookUp | None = None


def _ask(call: Call) -> JobRecord:
    service, name, body = call.service, call.path("document"), call.body
    asked(msgspec.to_builtins(body))
    service.row(name)
    service.memory(name)
    service.check_place(name, body.up_to)
    for number in body.history:
        service.library.kept_answer(number)
    return service.jobs.record_of(service.jobs.add("ask", msgspec.to_builtins(body), document=name))


def _list(call: Call) -> list[AnswerRecord]:
    service, name = call.service, call.path("document")
    service.row(name)
    memory = service.texts.memory(name)
    return [] if memory is None else answer_records(service.library.answers_to(memory), memory)


def _show(call: Call) -> AnswerRecord:
    return call.service.work.answer(call.number("answer"))


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
    Operation("GET", "/api/answers/{answer}", _show, "Show an answer and what it took.", AnswerRecord),
    Operation("GET", "/api/answers/{answer}/trace", _trace, "Show the prompts and replies of an answer.", TraceRecord),
)
