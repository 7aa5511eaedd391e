"""Where the statements of an overview are in the source, and what is to be said of doubtful ones, for people."""

from __future__ import annotations

from readagent.core.memory import GistMemory
from readagent.core.overviews.records import Point, Section
from readagent.core.places import from_to, page_name


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
    return "not borne out by its pages" if point.state == "unsupported" else unsure
