"""Shelves and answers from them as clients get them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from readagent.core.question import Kind
from readagent.core.shelf.records import Card, Citation, ShelfAnswer
from readagent.core.statement import CheckedBy
from readagent.library import KeptShelfAnswer
from readagent.web.answer_records import (
    CallsRecord,
    FallbackRecord,
    QuoteRecord,
    QuoteState,
    StatementRecord,
    calls,
    quote_state,
    quoted,
    said,
    took,
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


class CitationRecord(QuoteRecord, frozen=True, kw_only=True):
    """A passage of one of the documents."""

    document: str
    title: str


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
    """An answer from the documents of a shelf; ``lines`` are there if documents were compared.

    ``up_to`` are offsets by document: of these, only the text before them was used.
    """

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
    up_to: dict[str, int]
    model: str
    asked: datetime
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    fallbacks: list[FallbackRecord]


class ShelfTraceRecord(CallsRecord, frozen=True, kw_only=True):
    """Everything that an answer from a shelf was made from."""

    pages: list[PageOfRecord]


class ShelfRecord(msgspec.Struct, frozen=True):
    """A shelf with its documents and answers, newest first."""

    name: str
    documents: list[CardRecord]
    answers: list[ShelfAnswerRecord]


def shelf_answer_record(shelf: str, kept: KeptShelfAnswer) -> ShelfAnswerRecord:
    """Return an answer from a shelf."""
    answer = kept.answer
    return ShelfAnswerRecord(
        **said(answer),
        **took(answer.trace),
        id=kept.id,
        shelf=shelf,
        documents=card_records(answer.documents),
        among=answer.among,
        pages=_pages(answer),
        quotes=[
            _cited(one, quote_state(number, one.quote.by_us, answer.support))
            for number, one in enumerate(answer.quotes)
        ],
        lines=[
            LineRecord(
                line.document, line.title, line.text, line.silent, line.problem,
                [_cited(one, "quoted") for one in line.quotes],
            )
            for line in answer.lines
        ],
        up_to=dict(answer.up_to),
        model=kept.model,
        asked=kept.made,
    )  # fmt: skip


def shelf_trace_record(answer: ShelfAnswer) -> ShelfTraceRecord:
    """Return all calls behind an answer from a shelf, with their prompts and replies."""
    return ShelfTraceRecord(**calls(answer.trace), pages=_pages(answer))


def card_records(cards: Iterable[Card]) -> list[CardRecord]:
    """Return documents on a shelf."""
    return [CardRecord(card.document, card.title, card.kind, card.text) for card in cards]


def _pages(answer: ShelfAnswer) -> list[PageOfRecord]:
    return [PageOfRecord(page.document, page.title, page.page, page.place) for page in answer.pages]


def _cited(cited: Citation, state: QuoteState) -> CitationRecord:
    return CitationRecord(**quoted(cited.quote, state), document=cited.document, title=cited.title)
