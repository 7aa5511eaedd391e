"""Answers as clients get them: with quotes, statements, and what they took; and the trace behind an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Kind, Quote
from readagent.core.support.records import CheckedBy, State, Support
from readagent.core.trace import Fallback, Trace
from readagent.library import KeptAnswer

QuoteState = Literal["supported", "quoted", "unsupported", "nearest"]
_BEST: tuple[State, ...] = ("supported", "quoted", "unsupported")


class QuoteRecord(msgspec.Struct, frozen=True):
    """A passage of the text. ``nearest`` means that the program found it because the model quoted nothing."""

    text: str
    start: int
    end: int
    page: int
    place: str
    exact: bool
    by_us: bool
    state: QuoteState


class StatementRecord(msgspec.Struct, frozen=True):
    """A statement of an answer; ``quotes`` are indices into its quotes."""

    text: str
    state: State
    quotes: list[int]


class FallbackRecord(msgspec.Struct, frozen=True):
    """A step where the model returned nothing usable, and what was used instead."""

    step: str
    reason: str
    taken: str
    page: int | None


class AnswerInList(msgspec.Struct, frozen=True, kw_only=True):
    """An answer without what it took. ``other_pages``: it was asked when the text had other pages."""

    id: int | None
    document: str
    question: str
    kind: Kind
    options: list[str]
    text: str
    choice: str | None
    pages: list[int]
    places: list[str]
    quotes: list[QuoteRecord]
    false_quotes: int
    statements: list[StatementRecord]
    checked_by: CheckedBy
    verified: bool
    found_in_text: bool
    up_to: int | None
    model: str
    asked: datetime
    other_pages: bool


class AnswerRecord(AnswerInList, frozen=True, kw_only=True):
    """An answer with what it took."""

    calls: int
    words_read: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    fallbacks: list[FallbackRecord]


class CallRecord(msgspec.Struct, frozen=True):
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


class TraceRecord(msgspec.Struct, frozen=True):
    """Everything that an answer was made from."""

    calls: list[CallRecord]
    fallbacks: list[FallbackRecord]
    pages: list[int]
    cost: float | None
    words_read: int


def in_list(kept: KeptAnswer, places: Sequence[str]) -> AnswerInList:
    """Return an answer for a list; ``places`` are those of all pages."""
    return AnswerInList(
        id=kept.id,
        document=kept.document,
        question=kept.question.text,
        kind=kept.question.kind,
        options=list(kept.question.options),
        text=kept.text,
        choice=kept.choice,
        pages=list(kept.pages),
        places=[places[number] if number < len(places) else "" for number in kept.pages],
        quotes=quote_records(kept.quotes, kept.support),
        false_quotes=kept.false_quotes,
        statements=statement_records(kept.support),
        checked_by=kept.support.checked_by,
        verified=kept.verified,
        found_in_text=kept.found_in_text,
        up_to=kept.up_to,
        model=kept.model,
        asked=kept.made,
        other_pages=kept.other_pages,
    )


def answer_record(answer: Answer, memory: GistMemory, model: str, asked: datetime) -> AnswerRecord:
    """Return an answer to a question about a memory."""
    places, trace = memory.places(), answer.trace
    return AnswerRecord(
        id=answer.id,
        document=memory.document.id,
        question=answer.question.text,
        kind=answer.question.kind,
        options=list(answer.question.options),
        text=answer.text,
        choice=answer.choice,
        pages=list(answer.pages),
        places=[places[number] if number < len(places) else "" for number in answer.pages],
        quotes=quote_records(answer.quotes, answer.support),
        false_quotes=answer.false_quotes,
        statements=statement_records(answer.support),
        checked_by=answer.support.checked_by,
        verified=answer.verified,
        found_in_text=answer.found_in_text,
        up_to=answer.up_to,
        model=model,
        asked=asked,
        other_pages=False,
        calls=len(trace.calls),
        words_read=trace.words_read,
        tokens_in=trace.usage.prompt_tokens,
        tokens_out=trace.usage.reply_tokens,
        cost=trace.paid.cost,
        fallbacks=fallback_records(trace.fallbacks),
    )


def quote_records(quotes: Sequence[Quote], support: Support) -> list[QuoteRecord]:
    """Return quotes, each with the best state of the statements that rest on it."""
    return [
        QuoteRecord(
            quote.text, quote.start, quote.end, quote.page, quote.place, quote.exact, quote.by_us,
            quote_state(number, quote.by_us, support),
        )
        for number, quote in enumerate(quotes)
    ]  # fmt: skip


def quote_state(number: int, by_us: bool, support: Support) -> QuoteState:
    """Return what a quote does for its answer."""
    states = {one.state for one in support.statements if number in one.quotes}
    found = next((state for state in _BEST if state in states), None)
    return found or ("nearest" if by_us else "quoted")


def statement_records(support: Support) -> list[StatementRecord]:
    """Return the statements of an answer."""
    return [StatementRecord(one.text, one.state, list(one.quotes)) for one in support.statements]


def fallback_records(fallbacks: Sequence[Fallback]) -> list[FallbackRecord]:
    """Return fallbacks."""
    return [FallbackRecord(one.step, one.reason, one.taken, one.page) for one in fallbacks]


def trace_record(trace: Trace, pages: Sequence[int]) -> TraceRecord:
    """Return all calls of a trace with their prompts and replies."""
    calls = [
        CallRecord(
            call.step, call.prompt, call.reply, call.usage.prompt_tokens, call.usage.reply_tokens, call.usage.cost,
            not call.paid, round(call.seconds, 3), call.finish,
        )
        for call in trace.calls
    ]  # fmt: skip
    return TraceRecord(calls, fallback_records(trace.fallbacks), list(pages), trace.paid.cost, trace.words_read)
