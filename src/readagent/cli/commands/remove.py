"""`readagent remove`: remove a document from the library."""

from __future__ import annotations

from collections.abc import Sequence

import click

from readagent.cli.completing import complete_document
from readagent.cli.documents import existing_library
from readagent.cli.options import YES, settings_of
from readagent.cli.output import counted
from readagent.cli.screen import echo
from readagent.cli.writing import may_remove
from readagent.library import TERM, DocumentRow


@click.command(epilog="\b\nExamples:\n  readagent remove novel.txt\n  readagent remove 3f2a91 --yes")
@click.argument("document", shell_complete=complete_document)
@click.option("--all-versions", is_flag=True, help="Also remove its other versions.")
@YES
def command(document: str, all_versions: bool, yes: bool) -> None:
    """Remove a document with its pages, questions and answers from the library.

    DOCUMENT is its title, file name or id. It stays in the trash for 30 days: `readagent trash restore` brings it back.
    A conversation is deleted at once. Replies that were paid for are kept, so that reading it again costs nothing.
    """
    with existing_library(settings_of({})) as library:
        row = library.find_document(document)
        others = [one for one in library.documents() if row.source and one.source == row.source and one.id != row.id]
        rows = [row, *others] if all_versions else [row]
        what = _what(row, others, all_versions)
        words, asked = sum(one.words for one in rows), sum(one.questions for one in rows)
        if not may_remove(what, f"{counted(words, 'word')}, {counted(asked, 'question')}", yes=yes):
            return
        kept = [number for one in rows if (number := library.remove(one.id)) is not None]
    echo(f"removed {what}")
    if kept:
        echo(f"in the trash for {TERM.days} days; to restore it: readagent trash restore {kept[0]}", err=True)
    if others and not all_versions:
        left = ", ".join(f"version {one.version} ({one.id[:8]})" for one in others)
        echo(f"still in the library: {left}", err=True)


def _what(row: DocumentRow, others: Sequence[DocumentRow], all_versions: bool) -> str:
    """Return what is removed, in words."""
    if not others:
        return row.name
    return f"all {len(others) + 1} versions of {row.name}" if all_versions else f"version {row.version} of {row.name}"
