"""Questions about a whole text: recognised by their wording, and answered from all of its memory.

"What are the main themes?" needs no page in particular, and "List every visit to the island" needs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from readagent.core.asking.answer_language import not_in_text
from readagent.core.events import AnswerText
from readagent.core.memory import GistMemory
from readagent.core.overviews.global_wordings import LIST, SUMMARY, THEME, TIMELINE, names_the_text
from readagent.core.overviews.lists import hits, timeline
from readagent.core.overviews.records import Point, TimelineEvent
from readagent.core.overviews.span import Span, within
from readagent.core.overviews.write import summarize
from readagent.core.patterns import lazy_pattern
from readagent.core.places import page_name
from readagent.core.question import Answer, Question, Quote, Searched
from readagent.core.session import Session
from readagent.core.statement import Statement, Support

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
