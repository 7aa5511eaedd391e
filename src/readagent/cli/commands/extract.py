"""`readagent extract`: people, events, names, terms, questions, or rows under headings of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.extracting import VIEWS, own_view
from readagent.cli.overviews import made, overview_options, show


@click.command(
    epilog="""\b
Examples:
  readagent extract novel.epub people
  readagent extract minutes/ timeline --calendar -o minutes.csv
  readagent extract lecture.pdf questions --count 30
  readagent extract report.pdf "risk, owner, deadline"
"""
)
@overview_options
@click.argument("kind", metavar="KIND")
@click.option("--calendar", is_flag=True, help="Only events with a date, in the order of the calendar.")
@click.option("--count", type=click.IntRange(1, 500), default=10, metavar="N", help="About how many questions (10).")
def command(
    document: str, kind: str, calendar: bool, count: int, output: Path | None, as_json: bool, **flags: Any
) -> None:
    """List people, events, terms or your own headings from a document, with places.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    KIND is people, timeline, entities, glossary, questions, or headings of your own, separated by commas.
    """
    kind = kind.strip()
    more = {"count": count} if kind == "questions" else {}
    result = made(document, lambda agent: agent.extract, flags, kind=kind, **more)
    asked = {"calendar": calendar, "to_file": output is not None} if kind == "timeline" else {}
    view = VIEWS.get(kind, own_view)(result, **asked)
    data = {"title": result.memory.document.title, **view.data}
    show(result, view.lines, data, view.rows, output, as_json)
