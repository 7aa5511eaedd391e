"""Overviews: statements with their places, sections, people, events and other items."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal

from msgspec import field

from readagent.core.memory import GistMemory
from readagent.core.overviews.people import together_on_pages
from readagent.core.overviews.points import (
    Entity,
    Extract,
    Note,
    Person,
    Point,
    Section,
    Summary,
    Term,
    TimelineEvent,
    place_at,
    place_of_section,
    places_of,
)
from readagent.core.overviews.shelf_summary import ShelfSummary
from readagent.core.statement import State
from readagent.records import Record, record
from readagent.records.answers import CitationRecord, FallbackRecord, PageOfRecord, PassageRecord, cited

OverviewKind = Literal["summary", "outline", "people", "timeline", "entities", "glossary", "questions", "extract"]


class PointRecord(Record, frozen=True):
    """A statement with its pages and places, that of its quote first."""

    text: str
    state: State
    pages: list[int]
    places: list[str]
    quote: PassageRecord | None


class SummaryPoint(PointRecord, frozen=True):
    """A statement of a summary; ``begins`` says whether it begins a paragraph."""

    begins: bool


class SummaryRecord(Record, frozen=True):
    """A summary; ``pages`` are the first and the last page that it is about."""

    title: str
    text: str
    statements: list[SummaryPoint]
    pages: tuple[int, int]


class SectionRecord(Record, frozen=True):
    """A chapter or part, where it is, and what is in it."""

    title: str
    level: int
    first_page: int
    last_page: int
    start: int
    end: int
    place: str
    statements: list[PointRecord]


class MentionRecord(Record, frozen=True):
    """Where a name stands; ``end`` is that of the form that stands there, which may be shorter or longer."""

    offset: int | None
    end: int | None
    place: str


class EntityRecord(Record, frozen=True):
    """An organisation, a place or a thing with a name, and where it is mentioned."""

    name: str
    kind: str
    about: PointRecord
    first: MentionRecord
    last: MentionRecord
    pages: list[int]
    mentions: int


class RelationRecord(Record, frozen=True):
    """What somebody is to whom; ``doubt`` is "not verified" if that holds for what is said of either of the two."""

    is_: str = field(name="is")
    of: str
    doubt: str


class PersonRecord(Record, frozen=True):
    """Somebody in the text, and where they are mentioned."""

    name: str
    other_names: list[str]
    about: PointRecord
    relations: list[RelationRecord]
    first: MentionRecord
    last: MentionRecord
    pages: list[int]
    mentions: int


class EventRecord(PointRecord, frozen=True):
    """Something that happens: when, as the text tells it, and a date if it has one."""

    when: str
    date: str


class TermRecord(Record, frozen=True):
    """A term, and what the text says it is."""

    name: str
    meaning: PointRecord


class StudyQuestionRecord(Record, frozen=True):
    """A question about the text, with its answer."""

    question: str
    answer: PointRecord


class ExtractRecord(PointRecord, frozen=True):
    """A row under headings of one's own, with its pages."""

    fields: dict[str, str]


class NoteRecord(SummaryRecord, frozen=True):
    """A heading of a template, and what the text says on it."""

    heading: str


class ShelfPointRecord(Record, frozen=True):
    """A statement about several documents; its pages and its quote name them."""

    text: str
    state: State
    pages: list[PageOfRecord]
    places: list[str]
    quote: CitationRecord | None
    begins: bool


class MemberSummary(Record, frozen=True):
    """The summary of one document on a shelf."""

    id: str
    title: str
    kind: str
    text: str
    statements: list[SummaryPoint]
    dropped: list[PointRecord]


class ShelfSummaryRecord(Record, frozen=True):
    """The summary of all documents on a shelf, and one of each."""

    shelf: str
    text: str
    statements: list[ShelfPointRecord]
    documents: list[MemberSummary]


class OverviewRecord(Record, frozen=True):
    """An overview in the library. ``data`` has its items, ``dropped`` statements that the text does not support.

    It is ``outdated`` if pages or gists have changed since it was made.
    """

    id: int
    kind: OverviewKind
    options: dict[str, Any]
    made: datetime
    outdated: bool
    title: str
    markdown: str
    data: dict[str, Any]
    dropped: list[dict[str, Any]]
    calls: int
    tokens: int
    fallbacks: list[FallbackRecord]


def point_record(point: Point, memory: GistMemory) -> PointRecord:
    """Return a statement."""
    return record(PointRecord, point, places=quote_first(point, memory))


def point_records(points: Sequence[Point], memory: GistMemory) -> list[PointRecord]:
    """Return statements."""
    return [point_record(one, memory) for one in points]


def quote_first(point: Point, memory: GistMemory) -> list[str]:
    """Return the places of a statement, that of its quote first."""
    quote = point.quote
    if quote is None:
        return places_of(point, memory)
    others = (memory.pages[page].start for page in point.pages if page != quote.page)
    return list(dict.fromkeys(place_at(memory, offset) for offset in (quote.start, *others)))


def summary_record(summary: Summary) -> SummaryRecord:
    """Return a summary."""
    return record(SummaryRecord, summary, title=summary.memory.document.title, statements=_told(summary))


def _told(summary: Summary) -> list[SummaryPoint]:
    return [record(SummaryPoint, one, places=quote_first(one, summary.memory)) for one in summary.points]


def item_records(items: Iterable[Any], memory: GistMemory) -> list[Record]:
    """Return the items of an overview of any kind."""
    found = list(items)
    unsure = unverified(one for one in found if isinstance(one, Person))
    return [_item(one, memory, unsure) for one in found]


def _item(one: Any, memory: GistMemory, unsure: Collection[str]) -> Record:
    match one:
        case Section():
            first, last = memory.pages[one.first], memory.pages[one.last]
            return SectionRecord(
                one.title, one.level, one.first, one.last, first.start if one.start is None else one.start,
                last.end if one.end is None else one.end, place_of_section(one, memory),
                point_records(one.points, memory),
            )  # fmt: skip
        case Person():
            relations = [RelationRecord(what, whom, relation_doubt(one, whom, unsure)) for what, whom in one.relations]
            return record(
                PersonRecord, one, other_names=one.aliases, relations=relations, **_mentioned(one, one.aliases, memory)
            )
        case Entity():
            return record(EntityRecord, one, **_mentioned(one, (), memory))
        case TimelineEvent():
            return record(EventRecord, one.point, places=quote_first(one.point, memory), when=one.when, date=one.date)
        case Extract():
            return record(ExtractRecord, one.point, places=quote_first(one.point, memory), fields=dict(one.fields))
        case Term():
            return TermRecord(one.name, point_record(one.meaning, memory))
        case Note():
            return record(NoteRecord, summary_record(one.summary), heading=one.heading)
        case _:
            return StudyQuestionRecord(one.question, point_record(one.answer, memory))


def unverified(people: Iterable[Person]) -> frozenset[str]:
    """Return the names of people of whom the pages do not support what is said, or whom they do not mention."""
    return frozenset(one.name for one in people if one.about.state != "supported" or not one.mentions)


def relation_doubt(person: Person, whom: str, unsure: Collection[str]) -> str:
    """Return "not verified" for a relation if that holds for what is said of either of the two."""
    return "not verified" if {person.name, whom} & {*unsure} else ""


def _mentioned(one: Person | Entity, aliases: Sequence[str], memory: GistMemory) -> dict[str, Any]:
    def mention(offset: int | None) -> MentionRecord:
        end = None if offset is None else name_end((one.name, *aliases), memory.document.text, offset)
        return MentionRecord(offset, end, place_at(memory, offset))

    return {"about": point_record(one.about, memory), "first": mention(one.first), "last": mention(one.last)}


def name_end(names: Sequence[str], text: str, start: int) -> int:
    """Return where the name that stands at an offset ends: one of these names, or a word of one."""
    forms = {*names, *(word for name in names for word in name.split())}
    for form in sorted(forms, key=len, reverse=True):
        match = re.compile(r"\s+".join(map(re.escape, form.split()))).match(text, start)
        if match and match.end() > start:
            return match.end()
    word = re.compile(r"[\w'’-]+").match(text, start)
    return word.end() if word else start


def together(people: Sequence[Person]) -> list[dict[str, Any]]:
    """Return which people are on how many pages together."""
    return [{"people": list(pair), "pages": count} for pair, count in together_on_pages(people).items()]


def shelf_summary_record(shelf: str, made: ShelfSummary) -> ShelfSummaryRecord:
    """Return the summaries of a shelf."""

    def joined(point: Point) -> ShelfPointRecord:
        found = None if point.quote is None else made.joined.cite(point.quote)
        quote = None if found is None else cited(found)
        places = quote_first(point, made.whole.memory)
        return record(ShelfPointRecord, point, pages=made.sources(point), quote=quote, places=places)

    members = [
        MemberSummary(
            card.document, card.title, card.kind, summary.text, _told(summary),
            point_records(summary.dropped, summary.memory),
        )
        for card, summary in made.documents
    ]  # fmt: skip
    return ShelfSummaryRecord(shelf, made.text, [joined(one) for one in made.whole.points], members)
