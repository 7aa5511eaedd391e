"""`readagent summary --shelf`: make the summaries of a shelf and print them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.options import says_how_to_read
from readagent.cli.overviews import Heading, paragraphs, report_made, show
from readagent.cli.progress import Progress
from readagent.cli.screen import style
from readagent.core.overviews.shelf_summary import ShelfSummary
from readagent.records.overviews import shelf_summary_record
from readagent.sync import Shelf

_OF_A_DOCUMENT = {"chapter": "--chapter", "start": "--from", "end": "--to", "up_to": "--up-to", "whole": "--whole"}


def show_shelf_summary(name: str, flags: dict[str, Any], output: Path | None, *, as_json: bool, **wanted: Any) -> None:
    """Summarise the documents on a shelf, each and together, and print or write it."""
    given = [option for flag, option in _OF_A_DOCUMENT.items() if flags.pop(flag)]
    if given:
        raise click.UsageError(f"--shelf cannot be used with {given[0]}.")
    if says_how_to_read(flags) or flags["task"]:
        raise click.UsageError("--shelf cannot be used with options for reading; give these to `readagent shelf add`.")
    check, retry = flags.pop("check"), flags.pop("retry")
    with agent_for(flags, existing=True) as (agent, library):
        shelf = Shelf(agent, library.shelves.find(name).name)
        with Progress(doing="going through the documents") as progress:
            made = shelf.summary(check=check, retry=retry, listen=progress, **wanted)
        local = agent.is_local
    report_made(made, (), local=local)
    show(made.whole, _lines(made), shelf_summary_record(shelf.name, made), None, output, as_json)


def _lines(made: ShelfSummary) -> list[str]:
    """Return the summary of all documents, then that of each under its title."""
    parts = [] if len(made.documents) == 1 else [("All documents", made.whole)]
    parts += [(card.heading, summary) for card, summary in made.documents]
    lines: list[str] = []
    for title, summary in parts:
        lines += [Heading(style(f"# {title}", bold=True)), "", *paragraphs(summary), ""]
    return lines[:-1]
