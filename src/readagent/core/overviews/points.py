"""What overviews consist of: points with the pages they are from, sections, people, events and other items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from readagent.core.document import from_to, page_name
from readagent.core.escaping import brief, counted, short_repr
from readagent.core.memory import GistMemory
from readagent.core.question import Quote
from readagent.core.statement import State
from readagent.core.trace import Trace
from readagent.errors import UsageError

T = TypeVar("T")


class _Short:
    """What is shown in a few words, with long values cut."""

    __slots__ = ()

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True, slots=True, repr=False)
class Point(_Short):
    """A statement about the text and the pages that it is from.

    ``state`` is ``supported`` if these pages support it, ``quoted`` if that was not shown, and ``unsupported`` if they
    do not. ``quote`` is the sentence of these pages that is nearest to it. ``begins`` says if it begins a paragraph.
    ``claim`` is what was checked, where that is more than the text: whom it is about, or when it happened.
    """

    text: str
    pages: tuple[int, ...] = ()
    state: State = "quoted"
    quote: Quote | None = None
    begins: bool = False
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary as points in the order in which they are told; ``dropped`` are those that the text does not support.

    ``pages`` are the first and the last page of ``memory`` that it is about.
    """

    points: tuple[Point, ...]
    memory: GistMemory = field(compare=False, repr=False)
    dropped: tuple[Point, ...] = ()
    pages: tuple[int, int] = (0, 0)
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)

    def __repr__(self) -> str:
        return brief(self, self.text, counted(len(self.points), "statement"))

    @property
    def text(self) -> str:
        """The summary as prose, without its pages."""
        paragraphs: list[list[str]] = []
        for point in self.points:
            if point.begins or not paragraphs:
                paragraphs.append([])
            paragraphs[-1].append(point.text)
        return "\n\n".join(" ".join(one) for one in paragraphs)


@dataclass(frozen=True, slots=True)
class Overview(Generic[T]):
    """A list about a text: sections, people, events, terms or questions. ``memory`` has the pages that it names.

    ``dropped`` are statements that were left out because the text does not support them.
    """

    items: tuple[T, ...]
    memory: GistMemory = field(compare=False, repr=False)
    dropped: tuple[Point, ...] = ()
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)

    def __repr__(self) -> str:
        kind = type(self.items[0]).__name__ if self.items else "items"
        return brief(self, self.memory.document.title, f"{len(self.items):,} × {kind}")

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> T:
        return self.items[place]


@dataclass(frozen=True, slots=True, repr=False)
class Section(_Short):
    """A chapter, or a part that the memory suggests: its title, its first and last page, and what happens in it.

    ``start`` and ``end`` are the offsets of a chapter, which may begin within a page; None for a part.
    """

    title: str
    first: int
    last: int
    points: tuple[Point, ...] = ()
    level: int = 1
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Person(_Short):
    """Somebody in the text. ``first`` and ``last`` are the offsets where a name of theirs is first and last mentioned.

    ``relations`` are pairs: what they are, and to whom. ``pages`` are the pages that mention them.
    """

    name: str
    aliases: tuple[str, ...]
    about: Point
    relations: tuple[tuple[str, str], ...] = ()
    pages: tuple[int, ...] = ()
    first: int | None = None
    last: int | None = None
    mentions: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class TimelineEvent(_Short):
    """Something that happens: as a point, ``when`` as the text tells it, and a ``date`` for sorting, if it has one.

    A date is a year, a month or a day (``1805``, ``1805-12`` or ``1805-12-02``), or the first and the last of a span
    (``1840/1849``). ``-0044`` is 44 BC.
    """

    point: Point
    when: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Entity(_Short):
    """An organisation, a place or a thing with a name: its kind as far as it is told, what the text says, and where.

    ``first`` and ``last`` are the offsets of the first and last mention, ``pages`` the pages that mention it.
    """

    name: str
    kind: str
    about: Point
    pages: tuple[int, ...] = ()
    first: int | None = None
    last: int | None = None
    mentions: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Term(_Short):
    """A name or an expression of the text, and what the text says it is."""

    name: str
    meaning: Point


@dataclass(frozen=True, slots=True, repr=False)
class StudyQuestion(_Short):
    """A question about the text, with its answer."""

    question: str
    answer: Point


@dataclass(frozen=True, slots=True, repr=False)
class Extract(_Short):
    """A row under headings of one's own: the heading and the text of each cell, and all of it as a point."""

    fields: tuple[tuple[str, str], ...]
    point: Point


@dataclass(frozen=True, slots=True, repr=False)
class Note(_Short):
    """A heading of a template, and what the text says on it."""

    heading: str
    summary: Summary


def places_of(point: Point, memory: GistMemory) -> list[str]:
    """Return the places of a statement for people: that of its quote, or those of its pages."""
    offsets = [memory.pages[page].start for page in point.pages]
    if point.quote is not None and len(point.pages) == 1:
        offsets = [point.quote.start]
    return list(dict.fromkeys(place_at(memory, offset) for offset in offsets))


def place_at(memory: GistMemory, offset: int | None) -> str:
    """Return the place of an offset for people; "" if there is none. In a joined memory it begins with a title."""
    if offset is None:
        return ""
    page, part = memory.page_at(offset), next((one for one in reversed(memory.parts) if one.start <= offset), None)
    own = page if part is None else page - memory.page_at(part.start)
    name = page_name(own, memory.document.place_at(offset))
    return name if part is None else f"{part.title}, {name}"


def place_of_section(section: Section, memory: GistMemory) -> str:
    """Return from where to where a section goes, for people: of a chapter its own text, of a part its pages."""
    if section.start is None or section.end is None:
        start, end = memory.pages[section.first].start, memory.pages[section.last].end
    else:
        start, end = section.start, section.end
        below = (one.start for one in memory.document.paragraphs if start <= one.start < end and not one.heading)
        start = next(below, start)
    end = start + len(memory.document.text[start:end].rstrip())
    first, last = memory.document.places([start, max(start, end - 1)])
    return from_to(page_name(section.first, first), page_name(section.last, last))


def doubt(point: Point) -> str:
    """Return what is to be said of a statement that its pages do not support, or may not; "" if they do."""
    if not point.text:
        return ""
    unsure = "not verified" if point.state == "quoted" else ""
    return "not supported by its pages" if point.state == "unsupported" else unsure


_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)+")  # of a heading or an item of a list
_MOST = 60  # headings of a template
_COLUMNS = 12  # of a table of one's own


def headings_in(template: str | Sequence[str]) -> list[tuple[str, str]]:
    """Return the headings of a template: lines that begin with # if there are any, else all lines; or those of a list.

    Each comes with all that says what belongs there: itself, and the text below it.
    """
    if isinstance(template, str):
        marked = re.split(r"^#{1,6}[ \t]+(.+)$", template, flags=re.M)
        bodies = list(zip(marked[1::2], marked[2::2], strict=True)) or [(line, "") for line in template.splitlines()]
    else:
        if not isinstance(template, Sequence) or not all(isinstance(one, str) for one in template):
            raise UsageError("a template is a text, or a list of headings", hint='for example ["Parties", "Dates"]')
        bodies = [(name, "") for name in template]
    named = [(_MARK.sub("", name).strip(), body.strip()) for name, body in bodies]
    found = [(name, f"{name}\n{body}".strip()) for name, body in named if name]
    if not found:
        raise UsageError("the template has no headings", hint="write one on each line")
    if len(found) > _MOST:
        raise UsageError(f"the template has {len(found)} headings", hint=f"give at most {_MOST}")
    return found


_PAGES = ("page", "pages")  # a column that every row has


def columns_in(given: str | Sequence[str]) -> list[str]:
    """Return the headings of a table of one's own; raise UsageError if they are none."""
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(one, str) for one in names):
        raise UsageError("headings are a text with commas, or a list", hint='for example ["risk", "owner"]')
    cleaned = (" ".join(one.replace("|", " ").split()) for one in names)
    found = {one.casefold(): one for one in cleaned if one and one.casefold() not in _PAGES}
    if not found:
        raise UsageError("there are no headings", hint='for example "risk, owner"')
    if len(found) > _COLUMNS:
        raise UsageError(f"there are {len(found)} headings", hint=f"give at most {_COLUMNS}")
    return [*found.values()]
