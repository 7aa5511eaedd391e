"""`readagent outline`: the chapters of a document, or the parts that its memory suggests, and what is in each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import made, overview_options, show
from readagent.cli.screen import style
from readagent.core.memory import GistMemory
from readagent.core.overviews.points import Section, place_of_section
from readagent.records.overviews import item_records


@click.command(
    epilog="""\b
Examples:
  readagent outline novel.epub
  readagent outline thesis.pdf --chapter "2"
  readagent outline thesis.pdf --json
"""
)
@overview_options
def command(document: str, output: Path | None, as_json: bool, **flags: Any) -> None:
    """List the chapters of a document, or parts where it has none, with two lines on each.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.outline, flags)
    memory = result.memory
    lines = [line for section in result for line in _lines(section, memory)]
    record = {"title": memory.document.title, "sections": item_records(result, memory)}
    rows = [("title", "place", "first page", "last page", "text")] + [
        (
            one.title,
            place_of_section(one, memory),
            str(one.first + 1),
            str(one.last + 1),
            " ".join(p.text for p in one.points),
        )
        for one in result
    ]
    show(result, lines, record, rows, output, as_json)


def _lines(section: Section, memory: GistMemory) -> list[str]:
    indent = "  " * (section.level - 1)
    head = f"{indent}{style(section.title, bold=True)} {style(f'({place_of_section(section, memory)})', dim=True)}"
    return [head, *(f"{indent}  {point.text}" for point in section.points), ""]
