"""`readagent list`: the documents in the library."""

from __future__ import annotations

import click

from readagent.cli.documents import existing_library
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import counted, print_json
from readagent.cli.screen import echo
from readagent.cli.table import print_table
from readagent.core.escaping import excerpt
from readagent.library import DocumentRow
from readagent.records import record
from readagent.records.documents import ListedDocument


@click.command(epilog="\b\nExamples:\n  readagent list\n  readagent list --all\n  readagent list --json")
@click.option("--all", "everything", is_flag=True, help="Include older versions.")
@JSON
def command(everything: bool, as_json: bool) -> None:
    """List the documents in the library. For a file that has changed, only the newest version is listed."""
    with existing_library(settings_of({})) as library:
        documents = library.documents()
    shown = [row for row in documents if everything or row.newest]
    if as_json:
        print_json([record(ListedDocument, row) for row in shown])
    elif not documents:
        echo("the library is empty; start with: readagent read FILE", err=True)
    else:
        columns = ("id", "title", "words", "pages", "asked")
        print_table(
            columns,
            [_columns(row) for row in shown],
            wide="title",
            dim=[not row.newest for row in shown],
        )
        if len(shown) < len(documents):
            older = counted(len(documents) - len(shown), "older version")
            echo(f"{older} not shown; use --all to list them", err=True)


def _columns(row: DocumentRow) -> tuple[str, ...]:
    problems = [f"{row.leads} without a gist"] * bool(row.leads) + ["unfinished: no index yet"] * row.unmerged
    done = f"{row.pages} ({', '.join(problems)})" if problems else str(row.pages)
    pages = {"done": done, "reading": "unfinished", "added": "not read"}[row.state]
    pages = f"{pages}: {excerpt(row.stopped)}" if row.stopped and row.state != "done" else pages
    pages = "for a task" if row.tasks and row.state != "done" else pages
    title = row.name + (f" (v{row.version})" if row.version > 1 or not row.newest else "")
    return row.id[:8], title, f"{row.words:,}", pages, str(row.questions)
