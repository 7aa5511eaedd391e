"""`readagent entities`: the organisations, places and things that have a name in a document, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.overviews import made, mentioned, overview_options, show
from readagent.cli.screen import style
from readagent.core.memory import GistMemory
from readagent.core.overviews.points import Entity, doubt, place_at
from readagent.records.overviews import item_records


@click.command(
    epilog="""\b
Examples:
  readagent entities report.pdf
  readagent entities report.pdf --chapter "Risks"
  readagent entities report.pdf -o entities.csv
"""
)
@overview_options
def command(document: str, output: Path | None, as_json: bool, **flags: Any) -> None:
    """List the organisations, places and things that have a name: what the text says of them, first and last mention.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    For people, see `readagent people`; for terms that are explained, `readagent glossary`.
    """
    result = made(document, lambda agent: agent.entities, flags)
    memory = result.memory
    record = {"title": memory.document.title, "entities": item_records(result, memory)}
    rows = [("name", "kind", "about", "first", "last", "mentions", "doubt")] + [
        (one.name, one.kind, one.about.text, place_at(memory, one.first), place_at(memory, one.last),
         str(one.mentions), doubt(one.about))
        for one in result
    ]  # fmt: skip
    lines = [line for one in result for line in _lines(one, memory)]
    show(result, lines or ["No name was found."], record, rows, output, as_json)


def _lines(entity: Entity, memory: GistMemory) -> list[str]:
    kind = f" ({entity.kind})" if entity.kind else ""
    unsure = doubt(entity.about)
    unsure = f" {style(f'({unsure})', dim=True)}" if unsure else ""
    return [
        f"{style(entity.name, bold=True)}{kind}{mentioned(entity, memory)}",
        *([f"  {entity.about.text}{unsure}"] if entity.about.text else []),
        "",
    ]
