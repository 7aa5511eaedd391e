"""Entities: the organisations, places and things that have a name in a text, what it says of them, and where."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from readagent.core.memory import GistMemory
from readagent.core.overviews.collect import collect
from readagent.core.overviews.ground import as_told, ground, named_in_full
from readagent.core.overviews.items import ENTITIES, Item
from readagent.core.overviews.names import found_at, key
from readagent.core.overviews.records import Entity, Point
from readagent.core.quotes.quotable import Quotable
from readagent.core.session import Session
from readagent.core.words import count_words

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
