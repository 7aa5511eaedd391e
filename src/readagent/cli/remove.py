"""`readagent remove`: take a document out of the library."""

from __future__ import annotations

import sys

import click

from readagent.cli.options import settings_of
from readagent.cli.output import counted
from readagent.cli.shelf import library_of
from readagent.errors import UsageError


@click.command(epilog="\b\nExamples:\n  readagent remove novel.txt\n  readagent remove 3f2a91 --yes")
@click.argument("document")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def command(document: str, yes: bool) -> None:
    """Take a document with its pages, questions and answers out of the library.

    The replies that were paid for are kept, so that reading it again costs nothing.
    """
    with library_of(settings_of({})) as library:
        row = library.find_document(document)
        if not yes:
            if sys.stdin is None or not sys.stdin.isatty():
                raise UsageError(f"{row.name} was not removed: there is nobody to ask", hint="say --yes")
            asked = counted(row.questions, "question")
            if not click.confirm(f"Remove {row.name} ({counted(row.words, 'word')}, {asked})?"):
                click.echo(f"{row.name} was not removed", err=True)
                return
        library.remove(row.id)
    click.echo(f"removed {row.name}")
