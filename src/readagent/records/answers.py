"""Answers: about a document or from a shelf, with quotes and statements, what they took, and every call for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from readagent.core.memory import GistMemory, Origin
from readagent.core.question import Answer, Kind, Quote
from readagent.core.shelf.shelf_answer import Card, Citation, PageOf, ShelfAnswer
from readagent.core.statement import CheckedBy, State, Support
from readagent.core.trace import Trace
from readagent.library.rows import KeptAnswer, KeptShelfAnswer
from readagent.records import Record, record

QuoteState = Literal["supported", "quoted", "unsupported", "nearest"]
_BEST: tuple[State, ...] = ("supported", "quoted", "unsupported")


class PassageRecord(Record, frozen=True):
    """A passage of the text, and where it is."""

    text: str
    page: int
    place: str
    start: int
    end: int


class QuoteRecord(PassageRecord, frozen=True, kw_only=True):
    """Sentences of the text. ``nearest`` means that the program found them because the model quoted nothing.

    ``marked`` are the parts of the text that the model quoted, as offsets in it; ``exact`` is false if it wrote them
    slightly otherwise, ``by_us`` true if the program found the passage. ``speaker`` is who says it in a transcript.
    """

    paragraph: int
    exact: bool
    by_us: bool
    marked: list[list[int]]
    state: QuoteState
    speaker: str | UnsetType = UNSET


class CitationRecord(QuoteRecord, frozen=True, kw_only=True):
    """A quote from one of several documents."""

    document: str
    title: str


class StatementRecord(Record, frozen=True):
    """A statement of an answer; ``quotes`` are indices into its quotes."""

    text: str
    state: State
    quotes: list[int]


class FallbackRecord(Record, omit_defaults=True, frozen=True):
    """A step where the model returned nothing usable, and what was used instead."""

    step: str
    reason: str
    taken: str
    page: int | None
    last_page: int | None = None


class UsageRecord(Record, frozen=True):
    """Tokens, and the cost in US dollars; null if the price is not known."""

    prompt_tokens: int
    reply_tokens: int
    cached_tokens: int
    cost: float | None


class Took(Record, kw_only=True, frozen=True):
    """What something took: calls by step, words of prompts, what was paid for. In lists this is left out."""

    calls: dict[str, int] | UnsetType = UNSET
    words_read: int | UnsetType = UNSET
    shared_words: int | UnsetType = UNSET
    paid: UsageRecord | UnsetType = UNSET
    fallbacks: list[FallbackRecord] | UnsetType = UNSET


class Answered(Took, frozen=True):
    """What all answers have."""

    question: str
    kind: Kind
    options: list[str]
    answer: str
    choice: str | None
    false_quotes: int
    statements: list[StatementRecord]
    checked_by: CheckedBy
    verified: bool
    found_in_text: bool


class SearchedRecord(Record, frozen=True):
    """What was shown for an answer: the gists of ``pages`` of ``of_pages`` pages; of a tree, some of its parts."""

    pages: int
    of_pages: int
    parts: int
    of_parts: int


class AboutDocument(Answered, frozen=True):
    """What all answers about one document have: its id, and the path or address that it was read from.

    ``up_to`` is the offset up to which its text was used.
    """

    document: str
    source: str
    task: str
    pages: list[int]
    places: list[str]
    did_not_fit: list[int]
    quotes: list[QuoteRecord]
    up_to: int | None
    compression: float


class NewAnswer(AboutDocument, frozen=True):
    """An answer as `ask --json` prints it; what is not in other answers is not kept in the library."""

    extract: tuple[int, int] | None
    extract_place: str | None
    certainty: float | None
    offline_reader: bool
    over_all: bool
    searched: SearchedRecord | None


class FailedQuestion(Record, frozen=True):
    """A question that could not be answered, among others that were."""

    question: str
    error: str
    hint: str


class AnswerRecord(AboutDocument, frozen=True):
    """An answer in the library. ``other_pages``: it was asked when the text had other pages."""

    id: int
    model: str
    thread: str
    made: datetime
    other_pages: bool
    starred: bool | UnsetType = UNSET
    note: str | UnsetType = UNSET


class AnswerInHistory(Record, frozen=True):
    """An answer about a document or from a ``shelf``, in short; ``up_to``, ``among`` and ``unread`` as in these."""

    id: int
    shelf: str
    documents: list[str]
    title: str
    question: str
    answer: str
    quotes: int
    up_to: dict[str, int]
    among: int
    unread: int
    made: datetime
    starred: bool
    note: str


class CardRecord(Record, frozen=True):
    """A document on a shelf, what its card says of it, and the path or address that it was read from."""

    id: str
    source: str
    title: str
    kind: str
    card: str
    words: int
    card_origin: Origin


class PageOfRecord(Record, frozen=True):
    """A page of one of the documents."""

    document: str
    title: str
    page: int
    place: str


class LineRecord(Record, frozen=True):
    """What one document says in a comparison. ``problem`` is why there is no line, if there is none."""

    document: str
    title: str
    text: str
    silent: bool
    problem: str
    quotes: list[CitationRecord]


class NewShelfAnswer(Answered, frozen=True):
    """An answer from the documents of a shelf; ``lines`` are there if documents were compared.

    ``up_to`` are offsets by document: of these, only the text before them was used. ``left_out`` are documents that
    did not fit the window. ``unread`` of the ``among`` documents on the shelf had not been read and were not asked.
    """

    shelf: str
    documents: list[CardRecord]
    left_out: list[str]
    among: int
    unread: int
    pages: list[PageOfRecord]
    did_not_fit: list[PageOfRecord]
    quotes: list[CitationRecord]
    over_all: bool
    searched: SearchedRecord | None
    lines: list[LineRecord]
    up_to: dict[str, int]


class ShelfAnswerRecord(NewShelfAnswer, frozen=True):
    """An answer from a shelf that is in the library."""

    id: int
    model: str
    made: datetime
    starred: bool | UnsetType = UNSET
    note: str | UnsetType = UNSET


class ShelfInList(Record, frozen=True):
    """A shelf with the number of its documents and of the questions asked of it."""

    name: str
    documents: int
    questions: int
    made: datetime


class CallRecord(Record, frozen=True):
    """A call to the model as it was sent. ``cached`` means that the reply was in the library already."""

    step: str
    prompt: str
    reply: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    cached: bool
    seconds: float
    finish: str


class CallsRecord(Record, frozen=True):
    """Everything that an answer was made from: calls with their prompts and replies, and what they took."""

    calls: list[CallRecord]
    fallbacks: list[FallbackRecord]
    cost: float | None
    words_read: int


class TraceRecord(CallsRecord, frozen=True):
    """What an answer about a document or from a shelf was made from."""

    pages: list[int | PageOfRecord]


def took(trace: Trace) -> Took:
    """Return what something took."""
    return record(Took, trace, **took_fields(trace))


def took_fields(trace: Trace) -> dict[str, Any]:
    """Return the fields of ``Took`` for another record."""
    return {
        "calls": trace.steps(),
        "words_read": trace.words_read,
        "shared_words": trace.shared_words,
        "paid": trace.paid,
        "fallbacks": trace.fallbacks,
    }


def new_answer(memory: GistMemory, answer: Answer, *, offline: bool = False) -> NewAnswer:
    """Return an answer that was given now; ``offline`` is whether it is from the offline reader."""
    place = memory.document.place_of(*answer.extract) if answer.extract else None
    about = {**_about(answer, memory), **took_fields(answer.trace)}
    return record(NewAnswer, answer, **about, task=memory.plan.task, extract_place=place, offline_reader=offline)


def answer_records(answers: Iterable[KeptAnswer], memory: GistMemory) -> list[AnswerRecord]:
    """Return answers in the library about a document, without what they took."""
    places = memory.whole.places()
    return [record(AnswerRecord, one, **_about(one, memory, places)) for one in answers]


def answer_record(answer: KeptAnswer, memory: GistMemory, trace: Trace) -> AnswerRecord:
    """Return an answer in the library with what it took."""
    return record(AnswerRecord, answer, **_about(answer, memory), **took_fields(trace))


def _about(answer: Answer | KeptAnswer, memory: GistMemory, places: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the fields of ``AboutDocument`` that are no attributes; ``places`` are those of all pages."""
    places = memory.whole.places() if places is None else places
    return {
        **_answered(answer),
        "document": memory.document.id,
        "source": memory.document.source,
        "places": [places[number] if number < len(places) else "" for number in answer.pages],
        "quotes": [
            record(QuoteRecord, quote, **_said(quote), state=_state(number, quote, answer.support))
            for number, quote in enumerate(answer.quotes)
        ],
        "compression": round(answer.compression, 4),
    }


def _answered(answer: Answer | KeptAnswer | ShelfAnswer) -> dict[str, Any]:
    asked = answer.question
    said = {"question": asked.text, "kind": asked.kind, "options": asked.options, "answer": answer.text}
    return {**said, "checked_by": answer.support.checked_by}


def _said(quote: Quote) -> dict[str, Any]:
    return {"marked": [list(one) for one in quote.marked], "speaker": quote.speaker or UNSET}


def _state(number: int, quote: Quote, support: Support) -> QuoteState:
    """Return the best state of the statements that rest on a quote."""
    states = {one.state for one in support.statements if number in one.quotes}
    return next((state for state in _BEST if state in states), "nearest" if quote.by_us else "quoted")


def new_shelf_answer(shelf: str, answer: ShelfAnswer) -> NewShelfAnswer:
    """Return an answer from a shelf that was given now."""
    return record(NewShelfAnswer, answer, **_from_shelf(shelf, answer))


def shelf_answer_record(kept: KeptShelfAnswer) -> ShelfAnswerRecord:
    """Return an answer from a shelf that is in the library."""
    about = _from_shelf(kept.shelf, kept.answer)
    return record(ShelfAnswerRecord, kept.answer, **about, id=kept.id, model=kept.model, made=kept.made)


def _from_shelf(shelf: str, answer: ShelfAnswer) -> dict[str, Any]:
    return {
        **_answered(answer),
        **took_fields(answer.trace),
        "shelf": shelf,
        "documents": card_records(answer.documents),
        "left_out": [card.document for card in answer.left_out],
        "quotes": [cited(one, _state(number, one.quote, answer.support)) for number, one in enumerate(answer.quotes)],
        "lines": [record(LineRecord, line, quotes=[cited(one) for one in line.quotes]) for line in answer.lines],
    }


def cited(one: Citation, state: QuoteState = "quoted") -> CitationRecord:
    """Return a quote with its document."""
    about = {"document": one.document, "title": one.title, "state": state}
    return record(CitationRecord, one.quote, **_said(one.quote), **about)


def card_records(cards: Iterable[Card]) -> list[CardRecord]:
    """Return documents on a shelf."""
    return [record(CardRecord, one, id=one.document, card=one.text, card_origin=one.origin) for one in cards]


def trace_record(trace: Trace, pages: Sequence[int] | Sequence[PageOf]) -> TraceRecord:
    """Return all calls behind an answer."""
    return record(TraceRecord, trace, **_calls(trace), pages=pages)


def _calls(trace: Trace) -> dict[str, Any]:
    sent = [
        record(
            CallRecord, call, tokens_in=call.usage.prompt_tokens, tokens_out=call.usage.reply_tokens,
            cost=call.usage.cost, cached=not call.paid, seconds=round(call.seconds, 3),
        )
        for call in trace.calls
    ]  # fmt: skip
    return {"calls": sent, "cost": trace.paid.cost}
