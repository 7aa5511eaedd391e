"""`readagent find`: full-text search over the library."""

from __future__ import annotations

from textwrap import shorten

import click

from readagent.cli.completing import complete_document
from readagent.cli.documents import existing_library
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo, style
from readagent.core.document import page_name
from readagent.records import record
from readagent.records.documents import HitRecord

_MARKS = ("\x02", "\x03")


@click.command(
    epilog="""\b
Examples:
  readagent find salt barge
  readagent find '"the shortage is mine"' --in novel.txt
"""
)
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--in",
    "document",
    metavar="DOCUMENT",
    shell_complete=complete_document,
    help="Search only this document.",
)
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Maximum number of results."
)
@JSON
def command(words: tuple[str, ...], document: str | None, limit: int, as_json: bool) -> None:
    """Find pages that contain all WORDS; put a phrase in quotes to match it exactly.

    The first 64 different words are searched.
    """
    with existing_library(settings_of({})) as library:
        row = library.find_document(document) if document else None
        hits = library.search(
            " ".join(words), document_id=row.id if row else None, limit=limit, marks=("[", "]") if as_json else _MARKS
        )
        empty = not hits and not library.documents()
    if as_json:
        print_json([record(HitRecord, hit) for hit in hits])
        return
    if not hits:
        echo("the library is empty; start with: readagent read FILE" if empty else "nothing found", err=True)
    for hit in hits:
        task = f" (read for: {shorten(hit.task, 60)})" if hit.task else ""
        echo(style(f"{hit.title or hit.document[:8]}, {page_name(hit.page, hit.place)}", bold=True) + task)
        echo("  " + _marked(" ".join(hit.snippet.split())))


def _marked(snippet: str) -> str:
    """Return the snippet with the matches highlighted on a terminal."""
    pieces = snippet.replace(_MARKS[1], _MARKS[0]).split(_MARKS[0])
    return "".join(style(piece, bold=True, fg="yellow") if i % 2 else piece for i, piece in enumerate(pieces))
