"""`readagent timeline`: what happens in a document, in the order of the text or of the calendar."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import cited, made, overview_options, show
from readagent.cli.screen import echo, style
from readagent.cli.wrapping import columns_of, padded, width_of
from readagent.core.document import shortened
from readagent.core.memory import GistMemory
from readagent.core.overviews.lists import by_calendar
from readagent.core.overviews.points import TimelineEvent, doubt, places_of
from readagent.pictures import timeline_picture
from readagent.records.overviews import item_records

_TIME = 30  # characters of a time that are shown beside an event


@click.command(
    epilog="""\b
Examples:
  readagent timeline novel.epub
  readagent timeline minutes/ --calendar
  readagent timeline case.pdf --calendar -o case.csv
  readagent timeline case.pdf -o case.svg
"""
)
@overview_options
@click.option("--calendar", is_flag=True, help="Only events with a date, in the order of the calendar.")
def command(document: str, calendar: bool, output: Path | None, as_json: bool, **flags: Any) -> None:
    """List the events of a document, in the order in which they are told.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.timeline, flags)
    memory, events = result.memory, by_calendar(result.items) if calendar else list(result)
    lines = _below(events, memory) if output is None and columns_of(sys.stdout) else _beside(events, memory)
    if any(one.date.endswith("?") for one in events):
        echo("note: a date such as 2/12/1805 could be read in two ways; the day was taken to come first", err=True)
    record = {"title": memory.document.title, "events": item_records(events, memory)}
    rows = [("date", "when", "event", "place", "doubt")] + [
        (one.date, one.when, one.point.text, "; ".join(places_of(one.point, memory)), doubt(one.point))
        for one in events
    ]

    def draw() -> str:
        places = ["; ".join(filter(None, [*places_of(one.point, memory)[:1], doubt(one.point)])) for one in events]
        return timeline_picture(memory.document.title, events, places)

    show(result, lines or ["No event was found."], record, rows, output, as_json, draw)


def _below(events: Sequence[TimelineEvent], memory: GistMemory) -> list[str]:
    """Return the events for a terminal: the time, and below it what happened, which can be wrapped there."""
    return [
        line
        for one in events
        for line in (
            *([style(_time(one), bold=True)] if _time(one) else []),
            f"  {cited(one.point, memory)}",
        )
    ]


def _beside(events: Sequence[TimelineEvent], memory: GistMemory) -> list[str]:
    """Return the events for a file or a pipe: one on a line, with its time first."""
    times = [shortened(_time(one), _TIME) for one in events]
    width = max(map(width_of, times), default=0)
    told = (cited(one.point, memory) for one in events)
    return [f"{padded(time, width)}  {text}" for time, text in zip(times, told, strict=True)]


def _time(event: TimelineEvent) -> str:
    return " ".join((event.when or event.date).split())
