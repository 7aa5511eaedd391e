"""`readagent find`: full text over all pages that were read."""

from __future__ import annotations

from textwrap import shorten

import click

from readagent.cli.known import library_of
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import print_json
from readagent.library import Hit

_MARKS = ("\x02", "\x03")


@click.command(
    epilog="""\b
Examples:
  readagent find salt barge
  readagent find '"the shortage is mine"' --in novel.txt
"""
)
@click.argument("words", nargs=-1, required=True)
@click.option("--in", "document", metavar="DOCUMENT", help="Search in this document only.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Pages found, at most.")
@JSON
def command(words: tuple[str, ...], document: str | None, limit: int, as_json: bool) -> None:
    """Find the pages that hold all these WORDS; "words in quotes" stand next to each other."""
    with library_of(settings_of({})) as library:
        row = library.find_document(document) if document else None
        hits = library.search(
            " ".join(words), document_id=row.id if row else None, limit=limit, marks=("[", "]") if as_json else _MARKS
        )
    if as_json:
        print_json([_record(hit) for hit in hits])
        return
    if not hits:
        click.echo("nothing found", err=True)
    for hit in hits:
        task = f" (read for: {shorten(hit.task, 60)})" if hit.task else ""
        click.echo(click.style(f"{hit.title or hit.document[:8]}, page {hit.page}", bold=True) + task)
        click.echo("  " + _marked(" ".join(hit.snippet.split())))


def _record(hit: Hit) -> dict[str, object]:
    return {"document": hit.document, "title": hit.title, "page": hit.page, "snippet": hit.snippet, "task": hit.task}


def _marked(snippet: str) -> str:
    """The words that were found stand out: bold on a terminal, plain elsewhere."""
    pieces = snippet.replace(_MARKS[1], _MARKS[0]).split(_MARKS[0])
    return "".join(click.style(piece, bold=True, fg="yellow") if i % 2 else piece for i, piece in enumerate(pieces))
