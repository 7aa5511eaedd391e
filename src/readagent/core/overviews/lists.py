"""Entities, events, terms, study questions, rows under headings of one's own, and lists that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from readagent.core.memory import GistMemory
from readagent.core.overviews.collect import ENTITIES, EVENTS, HITS, QUESTIONS, TERMS, Kind, collect
from readagent.core.overviews.dates import calendar_key, iso_date
from readagent.core.overviews.entries import divide
from readagent.core.overviews.ground import ground, named_in_full
from readagent.core.overviews.mentions import find_names, text_span
from readagent.core.overviews.points import Entity, Extract, Point, StudyQuestion, Term, TimelineEvent
from readagent.core.rows import Row
from readagent.core.session import Session
from readagent.core.words import count_words

_JOINED = 60  # words that several windows may say of one thing
_SAME = 0.8  # of the words of two rows that they share if they are one


async def timeline(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[TimelineEvent]:
    """Return the events of these pages, or of all, in the order of the text; ``dropped`` gets what is unsupported."""
    rows = [row for row in await collect(EVENTS, memory, session, numbers=numbers) if row.cells[2]]
    rows = _once([replace(row, cells=(iso_date(row.cells[0]), *row.cells[1:])) for row in rows], 2)
    points = await ground([_point(row, 2, row.cells[1]) for row in rows], memory, session)
    pairs = zip(points, rows, strict=True)
    return [TimelineEvent(point, row.cells[1], row.cells[0]) for point, row in pairs if _kept(point, dropped)]


def by_calendar(events: Sequence[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events that have a date, in the order of the calendar; those of one date as the text tells them."""
    return sorted((one for one in events if one.date), key=lambda one: (calendar_key(one.date), one.point.pages))


async def glossary(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[Term]:
    """Return the terms of these pages, or of all, in the order of the alphabet; what is said of one is joined."""
    rows = [row for row in await collect(TERMS, memory, session, numbers=numbers) if row.cells[1]]
    rows = _joined(rows, 1)
    points = await ground([_point(row, 1, row.cells[0]) for row in rows], memory, session)
    terms = [Term(row.cells[0], point) for row, point in zip(rows, points, strict=True) if _kept(point, dropped)]
    return sorted(terms, key=lambda one: one.name.casefold())


async def entities(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[Entity]:
    """Return the entities of these pages, which follow each other, or of all: those that are mentioned most come first.

    ``dropped`` gets what is said of those that the text does not mention, if it is not supported either.
    """
    rows = _joined(await collect(ENTITIES, memory, session, numbers=numbers), 2)
    where = find_names([[row.cells[0]] for row in rows], memory.document.text, *text_span(memory, numbers))
    points = await ground([_point(row, 2, row.cells[0]) for row in rows], memory, session, where)
    found = []
    for row, at, point in zip(rows, where, points, strict=True):
        if not at and not _kept(point, dropped):
            continue
        pages = tuple(dict.fromkeys(map(memory.page_at, at))) or row.pages
        first, last = (at[0], at[-1]) if at else (None, None)
        found.append(Entity(row.cells[0], row.cells[1], point, pages, first, last, len(at)))
    return sorted(found, key=lambda one: (-one.mentions, one.first or 0, one.name))


async def study_questions(
    memory: GistMemory,
    session: Session,
    count: int = 10,
    numbers: Sequence[int] | None = None,
    dropped: list[Point] | None = None,
) -> list[StudyQuestion]:
    """Return about so many questions with their answers, evenly over these pages, or all."""
    chosen = list(range(len(memory.pages))) if numbers is None else list(numbers)
    parts = divide(memory, chosen, max(1, (count + 4) // 5))
    found: list[StudyQuestion] = []
    for at, part in enumerate(parts):
        wanted = count * (at + 1) // len(parts) - count * at // len(parts)
        rows = _once(await collect(QUESTIONS, memory, session, numbers=set(part), count=max(1, wanted)), 0)
        rows = [row for row in rows if all(row.cells)]
        points = await ground([_point(row, 1, row.cells[0]) for row in rows], memory, session)
        pairs = zip(rows, points, strict=True)
        good = [StudyQuestion(row.cells[0], point) for row, point in pairs if _kept(point, dropped)]
        found += good[:wanted]
    return found


async def extract(
    memory: GistMemory,
    session: Session,
    headings: Sequence[str],
    numbers: Collection[int] | None = None,
    dropped: list[Point] | None = None,
) -> list[Extract]:
    """Return the rows of a table with these headings that the pages, or all, fill in; in the order of the text."""
    names = ", ".join(headings)
    rows = _once(await collect(Kind("own", tuple(headings)), memory, session, numbers=numbers, about=names), 0)
    told = ["; ".join(f"{name}: {cell}" for name, cell in zip(headings, row.cells, strict=True) if cell)
            for row in rows]  # fmt: skip
    points = await ground([Point(text, row.pages) for text, row in zip(told, rows, strict=True)], memory, session)
    return [
        Extract(tuple(zip(headings, row.cells, strict=True)), point)
        for row, point in zip(rows, points, strict=True)
        if _kept(point, dropped)
    ]


async def hits(
    memory: GistMemory,
    session: Session,
    about: str,
    numbers: Collection[int] | None = None,
    opened: Collection[int] = (),
) -> list[Point]:
    """Return everything in these pages, or in all, that belongs in the list that a question asks for."""
    rows = _once(await collect(HITS, memory, session, numbers=numbers, opened=opened, about=about), 0)
    points = await ground([Point(row.cells[0], row.pages) for row in rows], memory, session)
    return [replace(one, begins=True) for one in points if one.state != "unsupported"]


def _point(row: Row, cell: int, about: str) -> Point:
    """Return a cell of a row as a point that is checked together with what it is about, unless it says that."""
    text = row.cells[cell]
    return Point(text, row.pages, claim="" if not about or about in text else f"{about}: {text}")


def _kept(point: Point, dropped: list[Point] | None) -> bool:
    if point.state == "unsupported" and dropped is not None:
        dropped.append(named_in_full(point))
    return point.state != "unsupported"


def _joined(rows: Sequence[Row], about: int) -> list[Row]:
    """Return one row for each name, in the first cell; what several windows say of it is joined, as far as it is short.

    Rows without a name are left out.
    """
    found: dict[str, Row] = {}
    for row in rows:
        if not row.cells[0]:
            continue
        known = found.setdefault(row.cells[0].casefold(), row)
        if known is row:
            continue
        told, more = known.cells[about], row.cells[about]
        cells = [mine or theirs for mine, theirs in zip(known.cells, row.cells, strict=True)]
        cells[about] = join_texts(told, more, _JOINED)
        found[row.cells[0].casefold()] = Row(tuple(cells), tuple(sorted({*known.pages, *row.pages})))
    return list(found.values())


def join_texts(told: str, more: str, most: int) -> str:
    """Return two texts on one thing, if that is short; a whole sentence needs no other."""
    whole = not told[-1:].isalnum()
    if not more or (told and (whole or more.casefold() in told.casefold() or count_words(f"{told} {more}") > most)):
        return told
    return f"{told}; {more}" if told else more


def _once(rows: Sequence[Row], main: int) -> list[Row]:
    """Return the rows without those that say the same as an earlier one on a page of theirs, which gets their pages.

    They say the same if the main cell has the same words and numbers, or nearly, and the others are equal.
    """
    kept: list[Row] = []
    on_page: dict[int, list[int]] = {}
    for row in rows:
        near = sorted({at for page in row.pages for at in on_page.get(page, ())})
        known = next((at for at in near if _same(row, kept[at], main)), len(kept))
        if known == len(kept):
            kept.append(row)
        else:
            kept[known] = replace(kept[known], pages=tuple(sorted({*kept[known].pages, *row.pages})))
        for page in row.pages:
            on_page.setdefault(page, []).append(known)
    return kept


def _same(row: Row, other: Row, main: int) -> bool:
    mine, theirs = _words(row.cells[main]), _words(other.cells[main])
    rest = [pair for at, pair in enumerate(zip(row.cells, other.cells, strict=True)) if at != main]
    alike = bool(mine) and len(mine & theirs) >= _SAME * max(len(mine), len(theirs))
    return alike and all(one == two for one, two in rest) and _marks(row.cells[main]) == _marks(other.cells[main])


def _marks(text: str) -> set[str]:
    """Return the names and numbers of a text: two rows that differ in these are two."""
    return {word.casefold() for word in re.findall(r"\w+", text) if word != word.lower() or any(map(str.isdigit, word))}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
