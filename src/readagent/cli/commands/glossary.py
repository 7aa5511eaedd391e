"""`readagent glossary`: the terms, places and things that a document explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import cited, made, overview_options, show
from readagent.cli.screen import style
from readagent.core.overviews.points import doubt, places_of
from readagent.records.overviews import item_records


@click.command(
    epilog="""\b
Examples:
  readagent glossary handbook.pdf
  readagent glossary handbook.pdf -o terms.csv
"""
)
@overview_options
def command(document: str, output: Path | None, as_json: bool, **flags: Any) -> None:
    """List the terms that a document explains, in the order of the alphabet, each with its meaning and place.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.glossary, flags)
    memory = result.memory
    lines = [f"{style(one.name, bold=True)}: {cited(one.meaning, memory)}" for one in result]
    record = {"title": memory.document.title, "terms": item_records(result, memory)}
    rows = [("term", "meaning", "place", "doubt")] + [
        (one.name, one.meaning.text, "; ".join(places_of(one.meaning, memory)), doubt(one.meaning)) for one in result
    ]
    show(result, lines or ["No term was found."], record, rows, output, as_json)
