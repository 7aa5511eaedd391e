"""Entities, events, terms, study questions, and complete lists of whatever a question asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from readagent.core.memory import GistMemory
from readagent.core.overviews.collect import ENTITIES, EVENTS, HITS, QUESTIONS, TERMS, Item, collect
from readagent.core.overviews.dates import calendar_key, date_in, day_comes_first
from readagent.core.overviews.entries import divide
from readagent.core.overviews.ground import as_told, ground, named_in_full
from readagent.core.overviews.person_names import found_at, key
from readagent.core.overviews.points import Entity, Point, StudyQuestion, Term, TimelineEvent
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session
from readagent.core.words import count_words

_MEANING = 60  # words about a term
_SAME = 0.8  # of the words of two items that they share if they are one
_OF_A_DAY = 0.5  # the same for two events of one day with the same names
_LINKS = frozenset("the a an of in on at to and is was by with from der die das und le la les et el los y".split())


async def timeline(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[TimelineEvent]:
    """Return the events of these pages, or of all, in the order of the text; ``dropped`` gets what is unsupported."""
    items = [item for item in await collect(EVENTS, memory, session, numbers=numbers) if item.fields[1]]
    order = day_comes_first(memory.document.text)
    items = _events_once(_once(items, 1), order)
    points = await ground([_point(item, 1, item.fields[0]) for item in items], memory, session)
    return [
        TimelineEvent(point, item.fields[0], date_in(item.fields[0], order) or date_in(item.fields[1], order))
        for point, item in zip(points, items, strict=True)
        if _kept(point, dropped)
    ]


def _point(item: Item, field: int, about: str) -> Point:
    """Return a field of an item as a point that is checked together with what it is about, unless it says that."""
    text = item.fields[field]
    told = not about or about in text or date_in(about) == date_in(text) != ""
    return Point(text, item.pages, claim="" if told else f"{about}: {text}")


def _kept(point: Point, dropped: list[Point] | None) -> bool:
    if point.state == "unsupported" and dropped is not None:
        dropped.append(named_in_full(point))
    return point.state != "unsupported"


def by_calendar(events: Sequence[TimelineEvent]) -> list[TimelineEvent]:
    """Return the events that have a date, in the order of the calendar; those of one date as the text tells them."""
    return sorted((one for one in events if one.date), key=lambda one: calendar_key(one.date))


async def glossary(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[Term]:
    """Return the terms of these pages, or of all, in the order of the alphabet; what is said of one is joined."""
    joined: dict[frozenset[str] | str, Item] = {}
    for item in await collect(TERMS, memory, session, numbers=numbers):
        name, meaning = item.fields
        known = joined.setdefault(key(name) or name.casefold(), item)
        short = count_words(known.fields[1]) < _MEANING
        if known is not item and short and meaning.casefold() not in known.fields[1].casefold():
            text = f"{known.fields[1]}; {meaning}"
            joined[key(name) or name.casefold()] = Item((known.fields[0], text), (*known.pages, *item.pages))
    items = list(joined.values())
    items = [Item(item.fields, tuple(sorted({*item.pages}))) for item in items if item.fields[1]]
    points = await ground([_point(item, 1, item.fields[0]) for item in items], memory, session)
    terms = [Term(item.fields[0], point) for item, point in zip(items, points, strict=True) if _kept(point, dropped)]
    return sorted(terms, key=lambda one: one.name.casefold())


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
        items = _once(await collect(QUESTIONS, memory, session, numbers=set(part), count=max(1, wanted)), 0)
        items = [item for item in items if item.fields[0] and item.fields[1]]
        points = await ground([_point(item, 1, item.fields[0]) for item in items], memory, session)
        pairs = zip(items, points, strict=True)
        good = [StudyQuestion(item.fields[0], point) for item, point in pairs if _kept(point, dropped)]
        found += good[:wanted]
    return found


async def hits(
    memory: GistMemory,
    session: Session,
    about: str,
    numbers: Collection[int] | None = None,
    opened: Collection[int] = (),
) -> list[Point]:
    """Return everything in these pages, or in all, that belongs in the list that a question asks for."""
    items = _once(await collect(HITS, memory, session, numbers=numbers, opened=opened, about=about), 0)
    points = await ground([Point(item.fields[0], item.pages) for item in items], memory, session)
    return [replace(one, begins=True) for one in points if one.state != "unsupported"]


def _once(items: Sequence[Item], field: int) -> list[Item]:
    """Return the items without those that say the same as an earlier one; that one gets their pages."""
    kept: list[Item] = []
    on_page: dict[int, list[int]] = {}
    for item in items:
        near = sorted({at for page in item.pages for at in on_page.get(page, ())})
        known = next((at for at in near if _same(item, kept[at], field)), None)
        if known is None:
            kept.append(item)
        else:
            kept[known] = Item(kept[known].fields, tuple(sorted({*kept[known].pages, *item.pages})))
        for page in item.pages:
            on_page.setdefault(page, []).append(len(kept) - 1 if known is None else known)
    return kept


def _events_once(items: Sequence[Item], day_first: bool | None) -> list[Item]:
    """Return events with those of one date joined that tell the same on several pages; the first gets their pages."""
    kept: list[Item] = []
    dated: dict[str, list[int]] = {}
    for item in items:
        when, text = item.fields
        date = date_in(when, day_first) or date_in(text, day_first)
        known = next((at for at in dated.get(date, ()) if _same_event(text, kept[at].fields[1], date)), None)
        if known is not None:
            kept[known] = Item(kept[known].fields, tuple(sorted({*kept[known].pages, *item.pages})))
            continue
        if date:
            dated.setdefault(date, []).append(len(kept))
        kept.append(item)
    return kept


def _same_event(one: str, other: str, date: str) -> bool:
    """Whether two events of one date are the same: those of a day may be told in other words with the same names."""
    mine, theirs = _words(one) - _LINKS, _words(other) - _LINKS
    shared, names = len(mine & theirs), (_marks(one) - _LINKS, _marks(other) - _LINKS)
    if names[0] != names[1]:
        return False
    day = date.count("-") == 2 and "/" not in date
    return bool(mine and theirs) and shared >= (_OF_A_DAY if day and names[0] else _SAME) * max(len(mine), len(theirs))


def _same(item: Item, other: Item, field: int) -> bool:
    """Whether two items on one page say the same in this field, and have the same in the others."""
    mine, theirs = item.fields[field], other.fields[field]
    words, there = _words(mine), _words(theirs)
    rest = [pair for at, pair in enumerate(zip(item.fields, other.fields, strict=True)) if at != field]
    alike = bool(words) and len(words & there) >= _SAME * max(len(words), len(there))
    return alike and all(one == two for one, two in rest) and _marks(mine) == _marks(theirs)


def _marks(text: str) -> set[str]:
    """Return the names and numbers of a text: two items that differ in these are two."""
    return {word.casefold() for word in re.findall(r"\w+", text) if word != word.lower() or any(map(str.isdigit, word))}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


_ABOUT = 45  # words about an entity


@dataclass(slots=True)
class _Known:
    """What is known of one entity so far."""

    name: str
    kind: str = ""
    texts: list[str] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)


async def entities(
    memory: GistMemory, session: Session, numbers: Collection[int] | None = None, dropped: list[Point] | None = None
) -> list[Entity]:
    """Return the entities of these pages, which follow each other, or of all: those that are mentioned most come first.

    ``dropped`` gets what is said of those that the text does not mention, if it is not supported either.
    """
    known = _joined(await collect(ENTITIES, memory, session, numbers=numbers))
    chosen = range(len(memory.pages)) if numbers is None else sorted(numbers)
    span = (memory.pages[chosen[0]].start, memory.pages[chosen[-1]].end) if chosen else (0, 0)
    where = found_at({one.name: at for at, one in enumerate(known)}, len(known), memory.document.text, *span)
    points = await ground([_about(one) for one in known], memory, session)
    text = Quotable(memory.document.text)
    points = [as_told(point, at, memory, text) for point, at in zip(points, where, strict=True)]
    found = []
    for one, at, point in zip(known, where, points, strict=True):
        if not at and point.state == "unsupported":
            if dropped is not None:
                dropped.append(named_in_full(point))
            continue
        pages = tuple(dict.fromkeys(map(memory.page_at, at))) or tuple(sorted(one.pages))
        found.append(Entity(one.name, one.kind, point, pages, at[0] if at else None, at[-1] if at else None, len(at)))
    return sorted(found, key=lambda one: (-one.mentions, one.first or 0, one.name))


def _joined(items: Collection[Item]) -> list[_Known]:
    """Return one entry for each name; what several windows say of it is joined as far as it is short."""
    joined: dict[frozenset[str], _Known] = {}
    for item in items:
        name, kind, about = item.fields
        if not key(name):
            continue
        one = joined.setdefault(key(name), _Known(" ".join(name.split())))
        one.kind = one.kind or kind
        short = not one.texts or count_words("; ".join([*one.texts, about])) <= _ABOUT
        if about and about not in one.texts and short:
            one.texts.append(about)
        one.pages |= {*item.pages}
    return list(joined.values())


def _about(known: _Known) -> Point:
    text = "; ".join(known.texts)
    return Point(text, tuple(sorted(known.pages)), claim="" if known.name in text else f"{known.name}: {text}")
