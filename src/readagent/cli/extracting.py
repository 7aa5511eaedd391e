"""How what is extracted is shown: for each kind its lines, its rows for a table, and its data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from readagent.cli.overviews import cited, mentioned
from readagent.cli.screen import style
from readagent.cli.wrapping import columns_of, padded, width_of
from readagent.core.document import shortened
from readagent.core.memory import GistMemory
from readagent.core.overviews.lists import by_calendar
from readagent.core.overviews.points import (
    Entity,
    Extract,
    Overview,
    Person,
    Point,
    StudyQuestion,
    Term,
    TimelineEvent,
    doubt,
    place_at,
    places_of,
)
from readagent.records.overviews import item_records, relation_doubt, together, unverified

_TIME = 30  # characters of a time that are shown beside an event


@dataclass(frozen=True, slots=True)
class View:
    """What is extracted, as lines for people, rows for a table, and data."""

    lines: Sequence[str]
    rows: Sequence[Sequence[str]]
    data: dict[str, Any]


def people_view(result: Overview[Person]) -> View:
    """Show who is in a text."""
    memory, unsure = result.memory, unverified(result)

    def related(one: Person) -> str:
        marks = {whom: relation_doubt(one, whom, unsure) for _, whom in one.relations}
        return "; ".join(f"{what} of {whom}" + (f" ({marks[whom]})" if marks[whom] else "")
                         for what, whom in one.relations)  # fmt: skip

    lines: list[str] = []
    for one in result:
        names = f" ({', '.join(one.aliases)})" if one.aliases else ""
        lines += [f"{style(one.name, bold=True)}{names}{mentioned(one, memory)}", *_about(one.about)]
        lines += [*([f"  {related(one)}"] if one.relations else []), ""]
    rows = [
        (one.name, "; ".join(one.aliases), one.about.text, related(one), *_where(one, memory), doubt(one.about))
        for one in result
    ]
    head = ("name", "other names", "who", "relations", "first", "last", "mentions", "doubt")
    data = {"people": item_records(result, memory), "together": together(result.items)}
    return View(lines or ["Nobody was found."], [head, *rows], data)


def timeline_view(result: Overview[TimelineEvent], *, calendar: bool = False, to_file: bool = False) -> View:
    """Show what happens in a text, in its order or in that of the calendar."""
    memory, events = result.memory, by_calendar(result.items) if calendar else list(result)
    lines = _below(events, memory) if not to_file and columns_of(sys.stdout) else _beside(events, memory)
    rows = [
        (one.date, one.when, one.point.text, "; ".join(places_of(one.point, memory)), doubt(one.point))
        for one in events
    ]
    head = ("date", "when", "event", "place", "doubt")
    return View(lines or ["No event was found."], [head, *rows], {"events": item_records(events, memory)})


def entities_view(result: Overview[Entity]) -> View:
    """Show the organisations, places and things of a text."""
    memory = result.memory
    lines: list[str] = []
    for one in result:
        kind = f" ({one.kind})" if one.kind else ""
        lines += [f"{style(one.name, bold=True)}{kind}{mentioned(one, memory)}", *_about(one.about), ""]
    rows = [(one.name, one.kind, one.about.text, *_where(one, memory), doubt(one.about)) for one in result]
    head = ("name", "kind", "about", "first", "last", "mentions", "doubt")
    return View(lines or ["No name was found."], [head, *rows], {"entities": item_records(result, memory)})


def glossary_view(result: Overview[Term]) -> View:
    """Show the terms that a text explains."""
    memory = result.memory
    lines = [f"{style(one.name, bold=True)}: {cited(one.meaning, memory)}" for one in result]
    rows = [(one.name, *_told(one.meaning, memory)) for one in result]
    head = ("term", "meaning", "place", "doubt")
    return View(lines or ["No term was found."], [head, *rows], {"terms": item_records(result, memory)})


def questions_view(result: Overview[StudyQuestion]) -> View:
    """Show study questions with their answers."""
    memory = result.memory
    lines: list[str] = []
    for number, one in enumerate(result, 1):
        lines += [f"{number}. {style(one.question, bold=True)}", f"   {cited(one.answer, memory)}", ""]
    rows = [(one.question, *_told(one.answer, memory)) for one in result]
    head = ("question", "answer", "place", "doubt")
    data = {"questions": item_records(result, memory)}
    return View(lines or ["No question could be written."], [head, *rows], data)


def own_view(result: Overview[Extract]) -> View:
    """Show rows under headings of one's own."""
    memory = result.memory
    lines = [cited(one.point, memory) for one in result]
    head = [name for name, _ in result[0].fields] if len(result) else []
    rows = [[*(text for _, text in one.fields), *_told(one.point, memory)[1:]] for one in result]
    data = {"rows": item_records(result, memory)}
    return View(lines or ["Nothing was found."], [[*head, "place", "doubt"], *rows], data)


VIEWS: dict[str, Callable[..., View]] = {
    "people": people_view,
    "timeline": timeline_view,
    "entities": entities_view,
    "glossary": glossary_view,
    "questions": questions_view,
}


def _about(point: Point) -> list[str]:
    unsure = f" {style(f'({doubt(point)})', dim=True)}" if doubt(point) else ""
    return [f"  {point.text}{unsure}"] if point.text else []


def _told(point: Point, memory: GistMemory) -> tuple[str, str, str]:
    return point.text, "; ".join(places_of(point, memory)), doubt(point)


def _where(one: Person | Entity, memory: GistMemory) -> tuple[str, str, str]:
    return place_at(memory, one.first), place_at(memory, one.last), str(one.mentions)


def _below(events: Sequence[TimelineEvent], memory: GistMemory) -> list[str]:
    """Return the events for a terminal: the time, and below it what happened, which can be wrapped there."""
    lines: list[str] = []
    for one in events:
        lines += [*([style(_time(one), bold=True)] if _time(one) else []), f"  {cited(one.point, memory)}"]
    return lines


def _beside(events: Sequence[TimelineEvent], memory: GistMemory) -> list[str]:
    """Return the events for a file or a pipe: one on a line, with its time first."""
    times = [shortened(_time(one), _TIME) for one in events]
    width = max(map(width_of, times), default=0)
    told = (cited(one.point, memory) for one in events)
    return [f"{padded(time, width)}  {text}" for time, text in zip(times, told, strict=True)]


def _time(event: TimelineEvent) -> str:
    return " ".join((event.when or event.date).split())
