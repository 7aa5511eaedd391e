"""`readagent trash`: what was removed, and how it is restored or deleted for good."""

from __future__ import annotations

import click

from readagent.cli.documents import existing_library
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, YES, settings_of
from readagent.cli.output import counted, print_json
from readagent.cli.screen import echo
from readagent.cli.table import print_table
from readagent.cli.writing import may_remove
from readagent.errors import NotInLibraryError
from readagent.library import Library, Removed
from readagent.records import plain, record
from readagent.records.documents import TrashRecord


@click.group(
    cls=NearestGroup,
    invoke_without_command=True,
    epilog="\b\nExamples:\n  readagent trash\n  readagent trash restore 3\n  readagent trash empty --yes",
)
@click.pass_context
def command(context: click.Context) -> None:
    """See, restore or delete what was removed from the library. Alone, it lists that."""
    if context.invoked_subcommand is None:
        context.invoke(list_trash, as_json=False)


@command.command(name="list", epilog="\b\nExamples:\n  readagent trash list\n  readagent trash list --json")
@JSON
def list_trash(as_json: bool) -> None:
    """List what was removed and can be restored, the last removed first."""
    with existing_library(settings_of({})) as library:
        found = library.trash()
    if as_json:
        print_json([plain(record(TrashRecord, one)) for one in found])
        return
    rows = [(str(one.id), one.name, one.kind, f"{one.removed:%Y-%m-%d}", f"{one.until:%Y-%m-%d}") for one in found]
    if rows:
        print_table(("number", "name", "kind", "removed", "kept until"), rows, wide="name")
    else:
        echo("the trash is empty", err=True)


@command.command(epilog="\b\nExamples:\n  readagent trash restore 'tide clock'\n  readagent trash restore 3")
@click.argument("name")
def restore(name: str) -> None:
    """Restore a document, or an answer. NAME is its number in the trash, its id, or words of its title or question."""
    with existing_library(settings_of({})) as library:
        found = library.restore(_find(library, name).id)
    echo(f"restored {found.name}")


@command.command(epilog="\b\nExamples:\n  readagent trash empty\n  readagent trash empty 3 --yes")
@click.argument("name", required=False)
@YES
def empty(name: str | None, yes: bool) -> None:
    """Delete everything in the trash for good, or one thing."""
    with existing_library(settings_of({})) as library:
        one = None if name is None else _find(library, name)
        what = "what is in the trash" if one is None else one.name
        if may_remove(what, counted(len(library.trash()) if one is None else 1, "thing"), yes=yes):
            gone = library.empty_trash(None if one is None else one.id)
            echo(f"deleted {counted(gone, 'thing')} for good")


def _find(library: Library, name: str) -> Removed:
    """Return the one thing in the trash with this number, or whose name has these words; of several the newest."""
    there, words = library.trash(), name.casefold().split()
    found = [one for one in there if name in (str(one.id), one.document)]
    found = found or [one for one in there if words and all(word in one.name.casefold() for word in words)]
    if not found:
        raise NotInLibraryError(f"there is no {name!r} in the trash", hint="list it: readagent trash list")
    return found[0]
