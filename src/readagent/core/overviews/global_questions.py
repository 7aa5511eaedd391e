"""Questions about a whole text or shelf: the model says so in the look-up, and they are answered from all pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from readagent.core.asking.answer import TEXT_IS_SILENT
from readagent.core.document import page_name
from readagent.core.memory import GistMemory
from readagent.core.overviews.ground import nearest
from readagent.core.overviews.points import Point
from readagent.core.overviews.write import LEADS, summarize
from readagent.core.question import Answer, Question, Quote, Searched
from readagent.core.session import Session
from readagent.core.shelf.ask import JoinedMemory, Member, join, titled
from readagent.core.shelf.shelf_answer import Citation, ShelfAnswer
from readagent.core.statement import Statement, Support
from readagent.core.trace import AnswerText
from readagent.errors import NoAnswerError

Q = TypeVar("Q", Quote, Citation)
_WORDS = 200  # of an answer from all pages
_QUOTES = 6  # quotes of an answer
_SIDES = "Call each document by its title."
_SHOWN = 3  # places of a statement, and documents that it is quoted from


async def answer_over_all(memory: GistMemory, question: Question, session: Session, up_to: int | None = None) -> Answer:
    """Answer a question from all pages of a memory; it ends at ``up_to``, if that is given."""
    points = await _points(memory, session, question.text)
    quotes, support = _supported(points, session, lambda point: [] if point.quote is None else [point.quote])
    text = " ".join(one.text for one in points) or TEXT_IS_SILENT
    session.emit(AnswerText(text))
    return Answer(
        question,
        text,
        None,
        (),
        (),
        compression=memory.compression,
        trace=session.trace,
        quotes=quotes,
        found_in_text=bool(points),
        up_to=up_to,
        support=support,
        searched=Searched(len(memory.pages), len(memory.pages)),
        over_all=True,
        document=memory.document,
    )


async def _points(memory: GistMemory, session: Session, about: str) -> tuple[Point, ...]:
    """Return the statements of an answer. What an overview falls back to is no answer: then there is none."""
    before = len(session.trace.fallbacks)
    points = (await summarize(memory, session, words=_WORDS, about=about)).points
    failed = [one.reason for one in session.trace.fallbacks[before:] if one.step == "write" and one.taken == LEADS]
    if failed:
        raise NoAnswerError(f"the model gave no answer twice: {failed[0]}", hint="ask again, or use another model")
    return points


def _supported(
    points: Sequence[Point], session: Session, cite: Callable[[Point], Sequence[Q]]
) -> tuple[tuple[Q, ...], Support]:
    """Return the quotes of some of the points, evenly over the text, and the points as statements that rest on them."""
    if not points:
        return (), Support()
    own = [cite(one) if session.plan.quotes else () for one in points]
    having = list(filter(None, own))
    count = min(_QUOTES, len(having))
    chosen = tuple(dict.fromkeys(one for at in range(count) for one in having[at * len(having) // count]))
    statements = tuple(
        Statement(one.text, one.state, tuple(chosen.index(quote) for quote in quotes if quote in chosen))
        for one, quotes in zip(points, own, strict=True)
    )
    return chosen, Support(statements, "model" if session.plan.check else "rules")


async def answer_over_shelf(members: Sequence[Member], question: Question, session: Session) -> ShelfAnswer:
    """Answer a question from all pages of these documents. Every statement names documents and pages."""
    members = titled([replace(member, memory=member.whole) for member in members])
    joined = join(members, session.plan)
    about = f"{question.text} {_SIDES}"
    points = await _points(joined.memory, session, about)
    text = _told(points, joined) or TEXT_IS_SILENT
    session.emit(AnswerText(text))
    quotes, support = _supported(points, session, lambda point: _cited(point, joined))
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
        support=support,
        searched=Searched(pages, pages),
        over_all=True,
    )


def _told(points: Sequence[Point], joined: JoinedMemory) -> str:
    return " ".join(f"{point.text} ({_places(point, joined)})" for point in points)


def _places(point: Point, joined: JoinedMemory) -> str:
    """Return the places of a statement; if there are many, those of as many documents as possible come first."""
    by_document = _sides(point, joined)
    firsts, rest = [pages[0] for pages in by_document], [page for pages in by_document for page in pages[1:]]
    shown = sorted([*firsts, *rest][:_SHOWN])
    names = [f"{one.title}, {page_name(one.page, one.place)}" for one in joined.pages(shown)]
    more = len(point.pages) - len(shown)
    return "; ".join([*names, *([f"{more} more"] if more else [])])


def _sides(point: Point, joined: JoinedMemory) -> list[list[int]]:
    """Return the pages of a statement by document."""
    found: dict[str, list[int]] = {}
    for page, source in zip(point.pages, joined.pages(point.pages), strict=True):
        found.setdefault(source.document, []).append(page)
    return list(found.values())


def _cited(point: Point, joined: JoinedMemory) -> list[Citation]:
    """Return the passages of some documents that are nearest to a statement, one of each."""
    found = []
    for pages in _sides(point, joined)[:_SHOWN]:
        known = point.quote is not None and point.quote.page in pages
        quote = point.quote if known else nearest(point.text, pages, joined.memory)
        cited = None if quote is None else joined.cite(quote)
        found += [] if cited is None else [cited]
    return found
