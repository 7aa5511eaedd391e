"""`readagent notes`: a user's own headings, each filled in from a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from readagent.cli.options import words_option
from readagent.cli.overviews import Heading, made, overview_options, paragraphs, show
from readagent.cli.screen import style
from readagent.core.overviews.points import headings_in
from readagent.errors import UsageError
from readagent.records.overviews import item_records


@click.command(
    epilog="""\b
Examples:
  readagent notes contract.pdf --template checklist.md
  readagent notes contract.pdf --template checklist.md --words 60 -o notes.md

A template has one heading on a line: lines that begin with # if there are any, else all lines.
Text below a heading says what belongs there.
"""
)
@overview_options
@click.option(
    "--template", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="A file with your headings.",
)  # fmt: skip
@words_option("Words for each heading, about (80).", 80)
def command(document: str, template: Path, words: int, output: Path | None, as_json: bool, **flags: Any) -> None:
    """Fill in your own headings from a document: what it says on each, with places.

    DOCUMENT is a file, a URL, or the title, file name or id of a document in the library. It is read first if needed.
    """
    result = made(document, lambda agent: agent.notes, flags, template=_text_of(template), words=words)
    shown: list[str] = []
    for note in result:
        shown += [Heading(style(f"# {note.heading}", bold=True)), "", *paragraphs(note.summary), ""]
    data = {"title": result.memory.document.title, "notes": item_records(result, result.memory)}
    show(result, shown, data, None, output, as_json)


def _text_of(template: Path) -> str:
    """Return the text of a template; raise UsageError, before anything is read, if it is none."""
    try:
        text = template.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{template.name} is not text in UTF-8", hint="give a file with your headings") from None
    headings_in(text)
    return text
