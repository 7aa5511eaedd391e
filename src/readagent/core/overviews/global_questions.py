"""Questions about a whole text or shelf: the model says so in the look-up, and they are answered from all pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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

_WORDS = 200  # of an answer from all pages
_QUOTES = 6  # quotes of an answer
_SIDES = "Call each document by its title."
_SHOWN = 3  # places of a statement, and documents that it is quoted from


async def answer_over_all(memory: GistMemory, question: Question, session: Session, up_to: int | None = None) -> Answer:
    """Answer a question from all pages of a memory; it ends at ``up_to``, if that is given."""
    points = await _points(memory, session, question.text)
    quotes, statements = _support(points, with_quotes=session.plan.quotes)
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
        support=Support(statements, "model" if session.plan.check else "rules") if points else Support(),
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


def evenly(points: Sequence[Point]) -> list[Point]:
    """Return the points whose quotes an answer shows, evenly over the text."""
    count = min(_QUOTES, len(points))
    return [points[at * len(points) // count] for at in range(count)]


def _support(points: Sequence[Point], *, with_quotes: bool) -> tuple[tuple[Quote, ...], tuple[Statement, ...]]:
    """Return some of the quotes of points, evenly over the text, and the points as statements that rest on them."""
    having = [one for one in points if one.quote is not None] if with_quotes else []
    quotes: list[Quote] = []
    for one in evenly(having):
        if one.quote is not None and one.quote not in quotes:
            quotes.append(one.quote)
    statements = tuple(
        Statement(one.text, one.state, (quotes.index(one.quote),) if one.quote in quotes else ()) for one in points
    )
    return tuple(quotes), statements


async def answer_over_shelf(members: Sequence[Member], question: Question, session: Session) -> ShelfAnswer:
    """Answer a question from all pages of these documents. Every statement names documents and pages."""
    members = titled([replace(member, memory=member.whole) for member in members])
    joined = join(members, session.plan)
    about = f"{question.text} {_SIDES}"
    points = await _points(joined.memory, session, about)
    text = _told(points, joined) or TEXT_IS_SILENT
    session.emit(AnswerText(text))
    quotes, statements = _shelf_support(points, joined, with_quotes=session.plan.quotes)
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


def _told(points: Sequence[Point], joined: JoinedMemory) -> str:
    return " ".join(f"{point.text} ({_places(point, joined)})" for point in points)


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


def _shelf_support(
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
