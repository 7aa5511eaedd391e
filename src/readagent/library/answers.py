"""Questions and answers in the library, with the trace of each answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from readagent.core.document import places_of_passages
from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Kind, Question, Quote
from readagent.core.statement import Support
from readagent.core.trace import Trace
from readagent.errors import NotInLibraryError
from readagent.library import readings
from readagent.library.database import Database, Row
from readagent.library.load import load, missing
from readagent.library.pack import compress, decompress, from_json, seal, to_bytes, to_json, to_text, to_time, unseal
from readagent.library.rows import AnswerNote, KeptAnswer

_KEPT = """
SELECT answers.id, questions.document, readings.key, questions.thread, questions.kind, questions.text,
    questions.options, answers.text, answers.choice, answers.pages, answers.did_not_fit, answers.compression,
    answers.model, answers.made, answers.quotes, answers.false_quotes, answers.found_in_text, answers.up_to,
    answers.support, coalesce(readings.task, x'')
FROM answers
JOIN questions ON questions.id = answers.question
LEFT JOIN readings ON readings.id = questions.reading
WHERE questions.document IS NOT NULL
"""
_ASKED = "SELECT (SELECT id FROM readings WHERE document = ? AND key = ?) FROM documents WHERE id = ?"


def keep(db: Database, document_id: str, reading_key: str, answer: Answer, *, model: str, thread: str = "") -> int:
    """Store a question with its answer and trace, and return the id of the answer."""
    question, now = answer.question, db.now()
    with db.transaction(document_id):
        reading = db.row(_ASKED, document_id, reading_key, document_id)
        if reading is None:
            raise missing(document_id)
        asked = (
            "INSERT INTO questions (document, reading, thread, kind, asked, text, options)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            document_id,
            reading[0],
            to_bytes(thread),
            question.kind,
            now,
            seal(to_bytes(question.text), question.kind, to_json(question.options)),
            to_json(question.options),
        )
        compression = answer.compression + 0.0  # SQLite stores -0.0 as 0.0, which another checksum belongs to
        made = (answer.choice, to_json(answer.pages), to_json(answer.did_not_fit), compression)
        found = (to_json(answer.quotes), answer.false_quotes, int(answer.found_in_text), answer.up_to)
        support = to_json(answer.support)
        kept = (
            "INSERT INTO answers (question, choice, pages, did_not_fit, compression, model, made, text, trace, quotes,"
            " false_quotes, found_in_text, up_to, support)"
            f" VALUES ({db.last_id('questions')}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            *made,
            to_bytes(model),
            now,
            seal(to_bytes(answer.text), *made, to_bytes(model), now, *found, support),
            compress(to_json(answer.trace)),
            *found,
            support,
        )
        return int(db.batch([asked, kept])[1][0][0])


def kept_answers(
    db: Database, document_id: str | None = None, thread: str | None = None, *, only: Collection[int] | None = None
) -> list[KeptAnswer]:
    """Return the answers of a document, of a thread, those with ``only`` these ids, or all of them, newest first."""
    where, values = "", list[str | bytes]()
    if document_id is not None:
        where += " AND questions.document = ?"
        values.append(document_id)
    if thread is not None:
        where += " AND questions.thread = ?"
        values.append(to_bytes(thread))
    if only is not None:
        where += f" AND answers.id IN ({', '.join(map(str, only)) or 'NULL'})"
    return [_kept(row) for row in db.rows(f"{_KEPT} {where} ORDER BY answers.id DESC", *values)]


def answers_to(db: Database, memory: GistMemory) -> list[KeptAnswer]:
    """Return the answers about a document, for the task of the memory, newest first.

    Pages and places of the quotes are those of the memory. An answer from other pages is marked, see KeptAnswer.
    """
    document, whole = memory.document.id, memory.whole
    kept = [one for one in kept_answers(db, document) if one.task == memory.plan.task]
    spans = [(page.start, page.end) for page in whole.pages]
    own = {key: readings.spans(db, document, key) == spans for key in {one.reading for one in kept}}
    quoted = [(quote.start, quote.end) for one in kept for quote in one.quotes]
    places = dict(zip(quoted, places_of_passages(whole.document, quoted), strict=True))
    found = [replace(one, quotes=tuple(_on_page(quote, whole, places) for quote in one.quotes)) for one in kept]
    return [one if own[one.reading] else replace(one, pages=(), did_not_fit=(), other_pages=True) for one in found]


def _on_page(quote: Quote, whole: GistMemory, places: Mapping[tuple[int, int], str]) -> Quote:
    return replace(quote, page=whole.page_at(quote.start), place=places[quote.start, quote.end])


def kept_answer(db: Database, answer_id: int) -> KeptAnswer:
    """Return one answer as ``answers`` returns it: without its trace, but with its model and time."""
    row = db.row(f"{_KEPT} AND answers.id = ?", answer_id)
    if row is None:
        raise _missing(answer_id)
    return _kept(row)


def ids(db: Database) -> list[int]:
    """Return the ids of all answers, also of those from shelves, newest first."""
    return [row[0] for row in db.rows("SELECT id FROM answers ORDER BY id DESC")]


def annotate(db: Database, answer_id: int, note: AnswerNote) -> None:
    """Keep a star and words about an answer in place of those before."""
    with db.transaction("answer_notes"):
        if db.row("SELECT 1 FROM answers WHERE id = ?", answer_id) is None:
            raise _missing(answer_id)
        db.rows("DELETE FROM answer_notes WHERE answer = ?", answer_id)
        if note != AnswerNote():
            starred = int(note.starred)
            db.rows(
                "INSERT INTO answer_notes (answer, starred, note) VALUES (?, ?, ?)",
                answer_id,
                starred,
                seal(to_bytes(note.note), starred),
            )


def notes(db: Database) -> dict[int, AnswerNote]:
    """Return what was noted about answers, by their ids."""
    rows = db.rows("SELECT answer, starred, note FROM answer_notes")
    return {answer: AnswerNote(bool(starred), to_text(unseal(note, starred))) for answer, starred, note in rows}


def _missing(answer_id: int) -> NotInLibraryError:
    return NotInLibraryError(f"there is no answer {answer_id} in the library")


def answer_with_trace(db: Database, answer_id: int) -> Answer:
    """Return an answer with its trace, exactly as it was stored."""
    with db.transaction(write=False):
        row = db.row(f"{_KEPT} AND answers.id = ?", answer_id)
        trace = db.row("SELECT trace FROM answers WHERE id = ?", answer_id)
    if row is None or trace is None:
        raise _missing(answer_id)
    kept = _kept(row)
    return Answer(
        kept.question,
        kept.text,
        kept.choice,
        kept.pages,
        kept.did_not_fit,
        kept.compression,
        from_json(decompress(trace[0]), Trace),
        kept.quotes,
        kept.false_quotes,
        kept.found_in_text,
        kept.up_to,
        kept.support,
    )


def answer_with_document(db: Database, answer_id: int) -> Answer:
    """Return an answer with its trace, exactly as it was stored, and its document."""
    answer = answer_with_trace(db, answer_id)
    (document,) = db.rows(
        "SELECT questions.document FROM answers JOIN questions ON questions.id = answers.question WHERE answers.id = ?",
        answer_id,
    )[0]
    return replace(answer, document=load(db, document), id=answer_id)


def _kept(row: Row) -> KeptAnswer:
    answer, document, reading, thread, kind, question, options, text, choice, pages, did_not_fit, *rest = row
    compression, model, made, *found, support, task = rest
    quotes, false_quotes, found_in_text, up_to = found
    sealed = found if support is None else [*found, support]  # answers of older versions have none
    text = unseal(text, choice, pages, did_not_fit, compression, model, made, *sealed)
    return KeptAnswer(
        id=answer,
        document=document,
        reading=reading or "",
        thread=to_text(thread),
        question=_question(question, options, kind),
        text=to_text(text),
        choice=choice,
        pages=from_json(pages, tuple[int, ...]),
        did_not_fit=from_json(did_not_fit, tuple[int, ...]),
        compression=compression,
        model=to_text(model),
        made=to_time(made),
        quotes=from_json(quotes, tuple[Quote, ...]),
        false_quotes=false_quotes,
        found_in_text=bool(found_in_text),
        up_to=up_to,
        support=Support() if support is None else from_json(support, Support),
        task=to_text(task),
    )


def _question(text: bytes, options: bytes, kind: Kind) -> Question:
    return Question(to_text(unseal(text, kind, options)), from_json(options, tuple[str, ...]), kind)
