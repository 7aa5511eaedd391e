"""Shelves and answers from them as clients get them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from readagent.core.question import Kind
from readagent.core.shelf.records import Citation, ShelfAnswer
from readagent.core.support.records import CheckedBy
from readagent.library import KeptShelfAnswer
from readagent.web.answer_records import (
    FallbackRecord,
    QuoteState,
    StatementRecord,
    fallback_records,
    quote_state,
    statement_records,
)


class ShelfInList(msgspec.Struct, frozen=True):
    """A shelf with the number of its documents and of the questions asked of it."""

    name: str
    documents: int
    questions: int
    made: datetime


class CardRecord(msgspec.Struct, frozen=True):
    """A document on a shelf, and what its card says of it."""

    id: str
    title: str
    kind: str
    card: str


class CitationRecord(msgspec.Struct, frozen=True):
    """A passage of one of the documents."""

    document: str
    title: str
    text: str
    start: int
    end: int
    page: int
    place: str
    exact: bool
    by_us: bool
    state: QuoteState


class LineRecord(msgspec.Struct, frozen=True):
    """What one document says in a comparison. ``problem`` is why there is no line, if there is none."""

    document: str
    title: str
    text: str
    silent: bool
    problem: str
    quotes: list[CitationRecord]


class PageOfRecord(msgspec.Struct, frozen=True):
    """A page of one of the documents."""

    document: str
    title: str
    page: int
    place: str


class ShelfAnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An answer from the documents of a shelf; ``lines`` are there if documents were compared."""

    id: int
    shelf: str
    question: str
    kind: Kind
    options: list[str]
    text: str
    choice: str | None
    documents: list[CardRecord]
    among: int
    pages: list[PageOfRecord]
    quotes: list[CitationRecord]
    false_quotes: int
    statements: list[StatementRecord]
    checked_by: CheckedBy
    verified: bool
    found_in_text: bool
    lines: list[LineRecord]
    model: str
    asked: datetime
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    fallbacks: list[FallbackRecord]


class ShelfRecord(msgspec.Struct, frozen=True):
    """A shelf with its documents and answers, newest first."""

    name: str
    documents: list[CardRecord]
    answers: list[ShelfAnswerRecord]


def shelf_answer_record(shelf: str, kept: KeptShelfAnswer) -> ShelfAnswerRecord:
    """Return an answer from a shelf."""
    answer, trace = kept.answer, kept.answer.trace
    return ShelfAnswerRecord(
        id=kept.id,
        shelf=shelf,
        question=answer.question.text,
        kind=answer.question.kind,
        options=list(answer.question.options),
        text=answer.text,
        choice=answer.choice,
        documents=[CardRecord(card.document, card.title, card.kind, card.text) for card in answer.documents],
        among=answer.among,
        pages=[PageOfRecord(page.document, page.title, page.page, page.place) for page in answer.pages],
        quotes=[_cited(number, one, answer) for number, one in enumerate(answer.quotes)],
        false_quotes=answer.false_quotes,
        statements=statement_records(answer.support),
        checked_by=answer.support.checked_by,
        verified=answer.verified,
        found_in_text=answer.found_in_text,
        lines=[
            LineRecord(
                line.document, line.title, line.text, line.silent, line.problem,
                [_cited(None, one, answer) for one in line.quotes],
            )
            for line in answer.lines
        ],
        model=kept.model,
        asked=kept.made,
        calls=len(trace.calls),
        tokens_in=trace.usage.prompt_tokens,
        tokens_out=trace.usage.reply_tokens,
        cost=trace.paid.cost,
        fallbacks=fallback_records(trace.fallbacks),
    )  # fmt: skip


def _cited(number: int | None, cited: Citation, answer: ShelfAnswer) -> CitationRecord:
    quote = cited.quote
    state = "quoted" if number is None else quote_state(number, quote.by_us, answer.support)
    return CitationRecord(
        cited.document, cited.title, quote.text, quote.start, quote.end, quote.page, quote.place, quote.exact,
        quote.by_us, state,
    )  # fmt: skip
