"""Questions about all documents of a shelf: what they disagree on, their themes, a summary of them, or a full list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from readagent.core.asking.answer_language import not_in_text
from readagent.core.events import AnswerText
from readagent.core.overviews.global_questions import (
    Scope,
    evenly,
    points_over_all,
    scope_of,
    words_wanted,
)
from readagent.core.overviews.global_wordings import POLITE, TEXTS
from readagent.core.overviews.ground import nearest
from readagent.core.overviews.records import Point
from readagent.core.overviews.shelf_summary import summarize_shelf
from readagent.core.overviews.write import summarize
from readagent.core.patterns import lazy_pattern
from readagent.core.places import page_name
from readagent.core.question import Question, Searched
from readagent.core.session import Session
from readagent.core.shelf.joined import JoinedMemory, Member, join, titled
from readagent.core.shelf.records import Citation, ShelfAnswer
from readagent.core.statement import Statement, Support

ShelfScope = Scope | Literal["difference"]
_THEY = (
    rf"(?:they|sie|ils|elles|(?:(?:all|both|each|of|these|those|the|my|two|three|\d+|die|diese|beiden|les|ces|los|las"
    rf"|estos|estas)\s+)+(?:\w+\s+)?(?:(?:{TEXTS})(?:e?s|e|en|er|n)?|texte|sources|accounts|versions|files|authors"
    r"|witnesses|verträge)|(?:these|those|both)\s+(?:\w+\s+)?\w+s)"
)
_DIFFER = r"(?:disagree|differ|contradict|conflict|diverge|agree|have in common|clash)"
_DIFFERENCE = lazy_pattern(
    rf"{POLITE}(?:(?:(?:what|where|how|why|when|in (?:what|which) \w+|(?:on|about) (?:what|which(?: \w+)?))\s+)?"
    rf"(?:do|does|did)\s+(?:any of\s+)?{_THEY}\s+(?:all\s+)?{_DIFFER}\b[^?]{{0,80}}"
    r"|what (?:are|is) the (?:\w+ )?(?:differences?|contradictions?|disagreements?|conflicts?|discrepanc(?:y|ies)"
    rf"|similarit(?:y|ies))(?: (?:and|or) \w+)? (?:between|among|of|in|across) {_THEY}\b[^?]{{0,60}}"
    rf"|compare {_THEY}\b[^?]{{0,60}}"
    rf"|(?:worin|wo|inwiefern) (?:widersprechen|unterscheiden) sich {_THEY}[^?]{{0,60}}"
    rf"|(?:sur quoi|où|en quoi) {_THEY} (?:se contredisent|diffèrent|divergent)[^?]{{0,60}}"
    rf"|en qu[ée] (?:difieren|discrepan|se contradicen) {_THEY}[^?]{{0,60}})\W*$",
    re.I,
)
_SIDES = "Call each document by its title, and name the pages of every side."
_SHOWN = 3  # places of a statement, and documents that it is quoted from


def shelf_scope_of(question: Question) -> ShelfScope:
    """Return whether a question is about all documents of a shelf, and what it asks for; "" if it is not."""
    if question.kind == "free" and _DIFFERENCE.match(question.text.partition("\n(")[0].strip()):
        return "difference"
    return scope_of(question)


async def answer_over_shelf(
    members: Sequence[Member], question: Question, session: Session, scope: ShelfScope
) -> ShelfAnswer:
    """Answer a question from all pages of these documents. Every statement names documents and pages."""
    members = titled([replace(member, memory=member.whole) for member in members])
    joined = join(members, session.plan)
    points = await _points(members, joined, question, session, scope)
    text = _told(points, joined, as_list=scope in ("list", "timeline")) or not_in_text(question)
    session.emit(AnswerText(text))
    quotes, statements = _support(points, joined, with_quotes=session.plan.quotes)
    pages = len(joined.memory.pages)
    return ShelfAnswer(
        question,
        text,
        documents=tuple(member.card for member in members),
        pages=joined.pages(sorted({page for point in points for page in point.pages})),
        quotes=quotes,
        found_in_text=bool(points),
        words=joined.memory.words(),
        trace=session.trace,
        support=Support(statements, "model" if session.plan.check else "rules") if points else Support(),
        searched=Searched(pages, pages),
        over_all=True,
    )


async def _points(
    members: Sequence[Member], joined: JoinedMemory, question: Question, session: Session, scope: ShelfScope
) -> Sequence[Point]:
    words = words_wanted(question.text)
    if scope == "difference":  # what differs shows only when documents stand together, so notes are taken on all
        asked = f"{question.text} {_SIDES}"
        return (await summarize(joined.memory, session, words=words, about=asked, notes_on="")).points
    if scope == "summary":
        return (await summarize_shelf(members, session, words=words, check=session.plan.check)).whole.points
    return await points_over_all(joined.memory, question, session, scope)


def _told(points: Sequence[Point], joined: JoinedMemory, *, as_list: bool) -> str:
    told = [f"{point.text} ({_places(point, joined)})" for point in points]
    return "\n".join(f"- {one}" for one in told) if as_list else " ".join(told)


def _places(point: Point, joined: JoinedMemory) -> str:
    """Return the places of a statement; if there are many, those of as many documents as possible come first."""
    by_document = sides(point, joined)
    firsts, rest = [pages[0] for pages in by_document], [page for pages in by_document for page in pages[1:]]
    shown = sorted([*firsts, *rest][:_SHOWN])
    names = [f"{one.title}, {page_name(one.page, one.place)}" for one in joined.pages(shown)]
    more = len(point.pages) - len(shown)
    return "; ".join([*names, *([f"{more} more"] if more else [])])


def sides(point: Point, joined: JoinedMemory) -> list[list[int]]:
    """Return the pages of a statement by document."""
    found: dict[str, list[int]] = {}
    for page, source in zip(point.pages, joined.pages(point.pages), strict=True):
        found.setdefault(source.document, []).append(page)
    return list(found.values())


def _support(
    points: Sequence[Point], joined: JoinedMemory, *, with_quotes: bool
) -> tuple[tuple[Citation, ...], tuple[Statement, ...]]:
    """Return quotes for some of the points, one from each document, and the points as statements that rest on them."""
    chosen = evenly(points) if with_quotes else []
    quotes: list[Citation] = []
    statements = []
    for point in points:
        own = [cited for side in sides(point, joined)[:_SHOWN] if (cited := _cited(point, side, joined))]
        own = own if any(point is one for one in chosen) else []
        quotes += [cited for cited in own if cited not in quotes]
        statements.append(Statement(point.text, point.state, tuple(map(quotes.index, own))))
    return tuple(quotes), tuple(statements)


def _cited(point: Point, pages: Sequence[int], joined: JoinedMemory) -> Citation | None:
    """Return the passage of these pages that is nearest to a statement."""
    known = point.quote is not None and point.quote.page in pages
    quote = point.quote if known else nearest(point.text, pages, joined.memory)
    return None if quote is None else joined.cite(quote)
