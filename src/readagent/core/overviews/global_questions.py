"""Questions about a whole text or shelf: recognised by their wording, and answered from all of the memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from readagent.core.document import page_name
from readagent.core.memory import GistMemory
from readagent.core.overviews.entries import Span, within
from readagent.core.overviews.ground import nearest
from readagent.core.overviews.lists import hits, timeline
from readagent.core.overviews.points import Point, TimelineEvent
from readagent.core.overviews.question_scope import LIST, POLITE, SUMMARY, TEXTS, THEME, TIMELINE, names_the_text
from readagent.core.overviews.shelf_summary import summarize_shelf
from readagent.core.overviews.write import summarize
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Answer, Question, Quote, Searched
from readagent.core.question_language import not_in_text
from readagent.core.session import Session
from readagent.core.shelf.ask import JoinedMemory, Member, join, titled
from readagent.core.shelf.shelf_answer import Citation, ShelfAnswer
from readagent.core.statement import Statement, Support
from readagent.core.trace import AnswerText

Scope = Literal["summary", "theme", "list", "timeline", ""]
_CONTENT = lazy_pattern(
    r"\b(?:themes?|ideas?|points?|topics?|messages?|take-?aways?|findings?|arguments?|conclusions?|subjects?|thesis"
    r"|claims?|issues?|themen|thema|aussagen?|ideen?|punkte|erkenntnisse|th[èe]mes?|id[ée]es?|temas?)\b",
    re.I,
)
_HOW_MANY = lazy_pattern(r"\W*how (?:many|often)\b", re.I)
_LENGTH = lazy_pattern(r"\b(\d{2,4}) words\b", re.I)
_SHORT = lazy_pattern(r"\b(?:in )?(?:one|a single|1|two|2) sentences?\b", re.I)
_WORDS, _SHORT_WORDS = 200, 40
_QUOTES = 6  # quotes of an answer


def scope_of(question: Question, title: str = "") -> Scope:
    """Return whether a question asks for a summary, a theme, a list or a timeline of the whole text; "" if for none.

    ``title`` is that of the text, so that "Summarise Mansfield Park" is recognised.
    """
    text = question.text.partition("\n(")[0].strip().replace("’", "'")
    if question.kind != "free":
        return ""
    if SUMMARY.match(text):
        return "summary"
    if TIMELINE.match(text):
        return "timeline"
    if LIST.match(text):
        return "list"
    if THEME.match(text):
        return "theme"
    named = names_the_text(text, title)
    return "summary" if named == "summary" else "theme" if named else ""


def asks_for_content(question: Question) -> bool:
    """Return whether a question about themes is one that a summary answers: "What are the main points?"."""
    return _CONTENT.search(question.text) is not None


async def answer_over_all(
    memory: GistMemory,
    question: Question,
    session: Session,
    scope: Scope,
    up_to: int | None = None,
    span: Span | None = None,
) -> Answer:
    """Answer a question from all pages of a memory, or of a ``span`` of it; it ends at ``up_to``, if that is given."""
    known, numbers = await within(memory, span, session) if span else (memory, list(range(len(memory.pages))))
    points = await points_over_all(known, question, session, scope, numbers)
    if scope in ("list", "timeline"):
        text = _listed(points, memory, question.text)
    else:
        text = " ".join(one.text for one in points)
    quotes, statements = _support(points, with_quotes=session.plan.quotes)
    text = text or not_in_text(question)
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
        searched=Searched(len(numbers), len(memory.pages)),
        over_all=True,
        document=memory.document,
    )


async def points_over_all(
    memory: GistMemory, question: Question, session: Session, scope: Scope, numbers: Sequence[int] | None = None
) -> Sequence[Point]:
    """Return what these pages of a memory, or all, say to a question: the items of a list, or a text's statements."""
    if scope == "list":
        return await hits(memory, session, question.text, opened=await _hinted(memory, question, session))
    if scope == "timeline":
        return [_dated(one) for one in await timeline(memory, session)]
    about, words = question.text if scope == "theme" else "", words_wanted(question.text)
    return (await summarize(memory, session, words=words, about=about, numbers=numbers)).points


def _dated(event: TimelineEvent) -> Point:
    """Return an event as a point that says when it happens."""
    told = not event.when or event.when in event.point.text
    return event.point if told else replace(event.point, text=f"{event.when}: {event.point.text}")


async def _hinted(memory: GistMemory, question: Question, session: Session) -> list[int]:
    """Return the pages that a search finds, which are shown in full: gists may have left out what is listed."""
    if session.hinter is None:
        return []
    found = await session.hinter.hints(memory, question)
    return [hint.page for hint in found if hint.score > 0][: session.plan.max_pages]


def _listed(points: Sequence[Point], memory: GistMemory, asked: str) -> str:
    """Return a list with the place of each item; their number first if that is asked for."""
    places = memory.document.places([memory.pages[one.pages[0]].start for one in points])
    lines = [f"- {one.text} ({page_name(one.pages[0], place)})" for one, place in zip(points, places, strict=True)]
    return "\n".join([*([f"{len(points)}:"] if points and _HOW_MANY.match(asked) else []), *lines])


def words_wanted(text: str) -> int:
    """Return how many words the answer to a question may have, by its wording."""
    if length := _LENGTH.search(text):
        return max(10, min(5000, int(length[1])))
    return _SHORT_WORDS if _SHORT.search(text) else _WORDS


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
