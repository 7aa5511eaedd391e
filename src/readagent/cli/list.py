"""`readagent list`: what is in the library."""

from __future__ import annotations

import click

from readagent.cli.options import JSON, settings_of
from readagent.cli.output import print_json
from readagent.cli.shelf import library_of
from readagent.library import DocumentRow


@click.command(epilog="\b\nExamples:\n  readagent list\n  readagent list --json")
@JSON
def command(as_json: bool) -> None:
    """List the documents in the library."""
    with library_of(settings_of({})) as library:
        documents = library.documents()
    if as_json:
        print_json([_record(row) for row in documents])
    elif not documents:
        click.echo("nothing has been read yet; begin with: readagent read FILE", err=True)
    else:
        _table(documents)


def _record(row: DocumentRow) -> dict[str, object]:
    return {"id": row.id, "title": row.title, "source": row.source, "words": row.words, "state": row.state,
            "pages": row.pages, "gist_words": row.gist_words, "questions": row.questions,
            "added": row.added.isoformat()}  # fmt: skip


def _table(documents: list[DocumentRow]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("title", overflow="fold", ratio=1)
    for name in ("words", "pages", "asked"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in documents:
        pages = str(row.pages) if row.state == "done" else "unfinished"
        table.add_row(row.id[:8], row.name, f"{row.words:,}", pages, str(row.questions))
    Console(highlight=False, soft_wrap=False).print(table)
