"""`readagent list`: what is in the library."""

from __future__ import annotations

import click

from readagent.cli.known import library_of
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import counted, print_json
from readagent.library import DocumentRow


@click.command(epilog="\b\nExamples:\n  readagent list\n  readagent list --all\n  readagent list --json")
@click.option("--all", "everything", is_flag=True, help="List older versions too.")
@JSON
def command(everything: bool, as_json: bool) -> None:
    """List the documents in the library. Of a file that has changed, the newest version is listed."""
    with library_of(settings_of({})) as library:
        documents = library.documents()
    shown = [row for row in documents if everything or row.newest]
    if as_json:
        print_json([_record(row) for row in shown])
    elif not documents:
        click.echo("nothing has been read yet; begin with: readagent read FILE", err=True)
    else:
        _table(shown)
        if len(shown) < len(documents):
            older = counted(len(documents) - len(shown), "older version")
            click.echo(f"{older} not shown: readagent list --all", err=True)


def _record(row: DocumentRow) -> dict[str, object]:
    return {"id": row.id, "title": row.title, "source": row.source, "version": row.version, "newest": row.newest,
            "metadata": dict(row.metadata), "words": row.words, "state": row.state, "pages": row.pages,
            "gist_words": row.gist_words, "questions": row.questions, "added": row.added.isoformat(),
            "tasks": list(row.tasks)}  # fmt: skip


def _table(documents: list[DocumentRow]) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("id", no_wrap=True)
    table.add_column("title", overflow="fold", ratio=1)
    for name in ("words", "pages", "asked"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in documents:
        pages = str(row.pages) if row.state == "done" else "for a task" if row.tasks else "unfinished"
        title = escape(row.name) + (f" (v{row.version})" if row.version > 1 or not row.newest else "")
        style = None if row.newest else "dim"
        table.add_row(row.id[:8], title, f"{row.words:,}", pages, str(row.questions), style=style)
    Console(highlight=False, soft_wrap=False).print(table)
