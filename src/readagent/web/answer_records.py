"""Answers as clients get them: with quotes, statements, and what they took; and the trace behind an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from readagent.core.memory import GistMemory
from readagent.core.question import Answer, Kind, Quote
from readagent.core.shelf.records import ShelfAnswer
from readagent.core.statement import CheckedBy, State, Support
from readagent.core.trace import Fallback, Trace
from readagent.library import KeptAnswer

QuoteState = Literal["supported", "quoted", "unsupported", "nearest"]
_BEST: tuple[State, ...] = ("supported", "quoted", "unsupported")


class QuoteRecord(msgspec.Struct, frozen=True, kw_only=True):
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


class CallsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The calls behind an answer, with their prompts and replies, and what they took."""

    calls: list[CallRecord]
    fallbacks: list[FallbackRecord]
    cost: float | None
    words_read: int


class TraceRecord(CallsRecord, frozen=True, kw_only=True):
    """Everything that an answer was made from."""

    pages: list[int]


def in_list(kept: KeptAnswer, places: Sequence[str]) -> AnswerInList:
    """Return an answer for a list; ``places`` are those of all pages."""
    about = _about(kept, places)
    return AnswerInList(
        **about, id=kept.id, document=kept.document, model=kept.model, asked=kept.made, other_pages=kept.other_pages
    )


def answer_record(answer: Answer, memory: GistMemory, model: str, asked: datetime) -> AnswerRecord:
    """Return an answer to a question about a memory."""
    return AnswerRecord(
        **_about(answer, memory.places()),
        **took(answer.trace),
        id=answer.id,
        document=memory.document.id,
        model=model,
        asked=asked,
        other_pages=False,
        words_read=answer.trace.words_read,
    )


def _about(answer: Answer | KeptAnswer, places: Sequence[str]) -> dict[str, Any]:
    return {
        **said(answer),
        "pages": list(answer.pages),
        "places": [places[number] if number < len(places) else "" for number in answer.pages],
        "quotes": quote_records(answer.quotes, answer.support),
        "up_to": answer.up_to,
    }


def said(answer: Answer | KeptAnswer | ShelfAnswer) -> dict[str, Any]:
    """Return the fields that all answers have: the question, what the answer says, and how it was checked."""
    return {
        "question": answer.question.text,
        "kind": answer.question.kind,
        "options": list(answer.question.options),
        "text": answer.text,
        "choice": answer.choice,
        "false_quotes": answer.false_quotes,
        "statements": [StatementRecord(one.text, one.state, list(one.quotes)) for one in answer.support.statements],
        "checked_by": answer.support.checked_by,
        "verified": answer.verified,
        "found_in_text": answer.found_in_text,
    }


def took(trace: Trace) -> dict[str, Any]:
    """Return the fields of an answer for what it took."""
    return {
        "calls": len(trace.calls),
        "tokens_in": trace.usage.prompt_tokens,
        "tokens_out": trace.usage.reply_tokens,
        "cost": trace.paid.cost,
        "fallbacks": fallback_records(trace.fallbacks),
    }


def quote_records(quotes: Sequence[Quote], support: Support) -> list[QuoteRecord]:
    """Return quotes, each with the best state of the statements that rest on it."""
    return [
        QuoteRecord(**quoted(quote, quote_state(number, quote.by_us, support))) for number, quote in enumerate(quotes)
    ]


def quoted(quote: Quote, state: QuoteState) -> dict[str, Any]:
    """Return the fields of a quote."""
    names = ("text", "start", "end", "page", "place", "exact", "by_us")
    return {**{name: getattr(quote, name) for name in names}, "state": state}


def quote_state(number: int, by_us: bool, support: Support) -> QuoteState:
    """Return what a quote does for its answer."""
    states = {one.state for one in support.statements if number in one.quotes}
    found = next((state for state in _BEST if state in states), None)
    return found or ("nearest" if by_us else "quoted")


def fallback_records(fallbacks: Sequence[Fallback]) -> list[FallbackRecord]:
    """Return fallbacks."""
    return [FallbackRecord(one.step, one.reason, one.taken, one.page) for one in fallbacks]


def trace_record(trace: Trace, pages: Sequence[int]) -> TraceRecord:
    """Return all calls of a trace with their prompts and replies."""
    return TraceRecord(**calls(trace), pages=list(pages))


def calls(trace: Trace) -> dict[str, Any]:
    """Return the fields of ``CallsRecord``."""
    sent = [
        CallRecord(
            call.step, call.prompt, call.reply, call.usage.prompt_tokens, call.usage.reply_tokens, call.usage.cost,
            not call.paid, round(call.seconds, 3), call.finish,
        )
        for call in trace.calls
    ]  # fmt: skip
    fallbacks = fallback_records(trace.fallbacks)
    return {"calls": sent, "fallbacks": fallbacks, "cost": trace.paid.cost, "words_read": trace.words_read}
