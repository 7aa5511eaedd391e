"""Events, entities, terms, study questions, and rows under headings of one's own: rows that their pages support."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from readagent.core.memory import GistMemory
from readagent.core.overviews.collect import ENTITIES, EVENTS, QUESTIONS, TERMS, Kind, collect
from readagent.core.overviews.entries import divide
from readagent.core.overviews.ground import ground, named_in_full
from readagent.core.overviews.mentions import find_names, text_span
from readagent.core.overviews.points import Entity, Extract, Point, StudyQuestion, Term, TimelineEvent
from readagent.core.patterns import lazy_pattern
from readagent.core.rows import Row
from readagent.core.session import Session
from readagent.core.words import count_words

_JOINED = 60  # words that several windows may say of one thing
_SAME = 0.8  # of the words of two rows that they share if they are one
_ISO = lazy_pattern(r"-?\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")


async def timeline(
    memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point]
) -> list[TimelineEvent]:
    """Return the events of these pages in the order of the text."""
    found = await _supported(EVENTS, memory, session, numbers, dropped)
    return [TimelineEvent(point, row.cells[1], row.cells[0]) for row, point in found]


async def glossary(memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point]) -> list[Term]:
    """Return the terms of these pages in the order of the alphabet; what is said of one is joined."""
    found = await _supported(TERMS, memory, session, numbers, dropped)
    return sorted((Term(row.cells[0], point) for row, point in found), key=lambda one: one.name.casefold())


async def entities(memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point]) -> list[Entity]:
    """Return the entities of these pages, which follow each other: those that are mentioned most come first.

    ``dropped`` gets what is said of those that the text does not mention, if it is not supported either.
    """
    rows = _joined(await collect(ENTITIES, memory, session, numbers=numbers), 2)
    where = find_names([[row.cells[0]] for row in rows], memory.document.text, *text_span(memory, numbers))
    points = await ground([_point(ENTITIES, row) for row in rows], memory, session, where)
    found = []
    for row, at, point in zip(rows, where, points, strict=True):
        if not at and not _kept(point, dropped):
            continue
        pages = tuple(dict.fromkeys(map(memory.page_at, at))) or row.pages
        first, last = (at[0], at[-1]) if at else (None, None)
        found.append(Entity(row.cells[0], row.cells[1], point, pages, first, last, len(at)))
    return sorted(found, key=lambda one: (-one.mentions, one.first or 0, one.name))


async def study_questions(
    memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point], count: int
) -> list[StudyQuestion]:
    """Return about so many questions with their answers, evenly over these pages."""
    parts = divide(memory, numbers, max(1, (count + 4) // 5))
    found: list[StudyQuestion] = []
    for at, part in enumerate(parts):
        wanted = count * (at + 1) // len(parts) - count * at // len(parts)
        some = await _supported(QUESTIONS, memory, session, part, dropped, count=max(1, wanted))
        found += [StudyQuestion(row.cells[0], point) for row, point in some if row.cells[0]][:wanted]
    return found


async def extract(
    memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point], headings: Sequence[str]
) -> list[Extract]:
    """Return the rows of a table with these headings that the pages fill in, in the order of the text."""
    kind = Kind("own", tuple(headings))
    found = await _supported(kind, memory, session, numbers, dropped, about=", ".join(headings))
    return [Extract(tuple(zip(headings, row.cells, strict=True)), point) for row, point in found]


async def _supported(
    kind: Kind, memory: GistMemory, session: Session, numbers: Sequence[int], dropped: list[Point], **values: object
) -> list[tuple[Row, Point]]:
    """Return the rows of a kind with their statements, without those that the text does not support.

    These go into ``dropped``.
    """
    rows = await collect(kind, memory, session, numbers=numbers, **values)
    if kind is EVENTS:
        rows = [replace(row, cells=(iso_date(row.cells[0]), *row.cells[1:])) for row in rows]
    main = kind.main or 0
    rows = [row for row in rows if row.cells[main] or kind.main is None]
    rows = _joined(rows, main) if kind.named else _once(rows, main)
    points = await ground([_point(kind, row) for row in rows], memory, session)
    return [(row, point) for row, point in zip(rows, points, strict=True) if _kept(point, dropped)]


def _point(kind: Kind, row: Row) -> Point:
    """Return what a row says as a point, which is checked together with what it is about, unless it says that."""
    if kind.main is None:
        told = (f"{name}: {cell}" for name, cell in zip(kind.columns, row.cells, strict=True) if cell)
        return Point("; ".join(told), row.pages)
    text, about = row.cells[kind.main], row.cells[kind.about]
    return Point(text, row.pages, claim="" if not about or about in text else f"{about}: {text}")


def _kept(point: Point, dropped: list[Point]) -> bool:
    if point.state == "unsupported":
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


def iso_date(text: str) -> str:
    """Return a date in ISO form, or a span of two; "" if the text is none.

    A date is a year, a month or a day (``1805``, ``1805-12``, ``1805-12-02``), or the first and last of a span
    (``1840/1849``). ``-0044`` is 44 BC.
    """
    first, slash, last = text.strip().partition("/")
    if not _ISO.fullmatch(first) or (slash and not _ISO.fullmatch(last)):
        return ""
    return first if not slash or first == last else f"{first}/{last}"


def by_calendar(events: Sequence[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events that have a date, in the order of the calendar; those of one date as the text tells them."""
    return sorted((one for one in events if one.date), key=lambda one: (calendar_key(one.date), one.point.pages))


def calendar_key(date: str) -> tuple[int, ...]:
    """Return what dates are sorted by: where they begin; of two that begin together the longer one comes first."""
    first, _, last = date.partition("/")
    year, month, day = _parts(last or first)
    return *_parts(first), -year, -(month or 12), -(day or 31)


def _parts(date: str) -> tuple[int, int, int]:
    sign = -1 if date.startswith("-") else 1
    year, month, day = [*map(int, date.removeprefix("-").split("-")), 0, 0][:3]
    return sign * year, month, day
