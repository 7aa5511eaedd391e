"""`readagent shelf`: groups of documents that are asked together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import Any

import click

from readagent.cli.agents import agent_for_documents
from readagent.cli.completing import complete_document, complete_shelf
from readagent.cli.documents import document_of, existing_library, is_source, library_of
from readagent.cli.filling import failure_line, fill_shelf, report
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, agent_options, says_how_to_read, settings_of, source_options
from readagent.cli.output import counted, print_json
from readagent.cli.reading import SourceReader
from readagent.cli.screen import echo
from readagent.cli.shelf_answer import ask_shelf, shelf_question_options, show_card
from readagent.cli.shelves import export_to_one_file, shelf_to_fill
from readagent.cli.writing import may_remove, output_options
from readagent.errors import NotInLibraryError
from readagent.filling import Filling
from readagent.filling.sources import is_many
from readagent.library import Library
from readagent.library.corpora import TRIES
from readagent.loaders import Loaded, Skipped
from readagent.records import plain, record
from readagent.records.answers import ShelfInList, card_records
from readagent.records.filling import FailureRecord, filling_record

_COUNT = click.IntRange(1)
_EFFORT = ("workers", "ray", "all_parallel", "at_once", "tries")


@click.group(
    cls=NearestGroup,
    name="shelf",
    epilog="\b\nExamples:\n  readagent shelf add contracts leases/\n  readagent shelf list contracts\n"
    '  readagent shelf ask contracts "Which of them ends first?" --compare',
)
def command() -> None:
    """Group documents on shelves and ask all of them at once."""


@command.command(epilog="\b\nExamples:\n  readagent shelf new contracts")
@click.argument("name")
def new(name: str) -> None:
    """Create an empty shelf. `shelf add` creates one too."""
    with library_of(settings_of({})) as library:
        made = library.shelves.new(name)
    echo(f"created the shelf {made.name}")


@command.command(
    epilog="""\b
Examples:
  readagent shelf add contracts lease.pdf loan.docx
  readagent shelf add contracts contracts/ --include '*.pdf' --kind contract
  readagent shelf add reports reports.zip list.jsonl --workers 4
  readagent shelf add archive s3://archive/1998/ --ray ray://head:10001
  readagent shelf add archive
  readagent shelf add novels middlemarch

Documents that were read are not read again. A new version of a file replaces the old one.
"""
)
@click.argument("name", shell_complete=complete_shelf)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...", shell_complete=complete_document)
@click.option("--kind", default="", metavar="TEXT", help="Kind of text, such as contract.")
@click.option("--workers", type=_COUNT, metavar="N", help="Read with N processes; on Ray, one per processor.")
@click.option("--ray", metavar="ADDRESS", help="Read on the Ray cluster at this address.")
@click.option("--all-parallel", type=_COUNT, metavar="N", help="Maximum concurrent calls of all workers together.")
@click.option("--at-once", type=_COUNT, metavar="N", help="Documents that a worker reads at once (twice --parallel).")
@click.option("--tries", type=_COUNT, metavar="N", help=f"Set a document aside after N failures ({TRIES}).")
@source_options
@agent_options
@JSON
def add(name: str, sources: tuple[str, ...], kind: str, as_json: bool, **flags: Any) -> int:
    """Add documents to a shelf, which is created if needed. Each gets a card with a short summary.

    SOURCE is a file, a folder (every file in it), an archive (.zip, .tar), a manifest (.jsonl, .csv or .parquet with a
    column `path` or `url`), a place in a store (s3://, gs://, az://), a web address, - for standard input, or the
    title, file name or id of a document in the library.

    What stands for many documents, or is read by several workers, is put on a list that is kept in the library. A
    command that is stopped goes on when it is run again, also without SOURCE; `shelf status` shows how far it is.
    Several commands may fill one shelf. What cannot be read is set aside with its reason, and the exit code is 1.
    """
    effort = {name: flags.pop(name) for name in _EFFORT}
    listed, code = _listed(sources, effort, flags["as_one"]), 0
    if listed or not sources:
        code = fill_shelf(name, listed, flags, effort, kind=kind, as_json=as_json)
    if rest := [one for one in sources if one not in listed]:
        code = max(code, _add_now(name, rest, flags, kind=kind, as_json=as_json))
    return code


def _listed(sources: tuple[str, ...], effort: dict[str, Any], as_one: bool) -> list[str]:
    """Return the sources that go on the list of a shelf: all if it is said how, else those that are many documents."""
    if as_one:
        return []
    return [one for one in sources if any(effort.values()) or is_many(one)]


def _add_now(name: str, sources: list[str], flags: dict[str, Any], *, kind: str, as_json: bool) -> int:
    """Add documents to a shelf, with a line for each, and return the exit code."""
    with (
        agent_for_documents(*sources, flags=flags) as (agent, library),
        shelf_to_fill(name, agent, library) as shelf,
    ):
        recall = not says_how_to_read(flags)
        reader = SourceReader(agent, library, "", as_json, flags, shelf=shelf, kind=kind, recall=recall)

        def load(source: str) -> Iterable[Loaded | Skipped]:
            return reader.load(source) if is_source(source) else [Loaded(document_of(source, library), source)]

        return reader.read(sources, load)


@command.command(name="list", epilog="\b\nExamples:\n  readagent shelf list\n  readagent shelf list contracts --json")
@click.argument("name", required=False, shell_complete=complete_shelf)
@JSON
def list_shelves(name: str | None, as_json: bool) -> None:
    """List the shelves, or the documents on one with their cards."""
    with existing_library(settings_of({})) as library:
        if name is None:
            _shelves(library, as_json)
            return
        shelf = library.shelves.find(name)
        cards = library.shelves.cards(shelf.name)
    if as_json:
        print_json([{**plain(card), "document": card.id} for card in card_records(cards)])
    elif not cards:
        echo(f"this shelf is empty; start with: readagent shelf add {quote(shelf.name)} FILE", err=True)
    for card in () if as_json else cards:
        show_card(card)


@command.command(
    epilog="\b\nExamples:\n  readagent shelf status\n  readagent shelf status contracts --set-aside --json"
)
@click.argument("name", required=False, shell_complete=complete_shelf)
@click.option("--set-aside", is_flag=True, help="List the documents that were set aside, with their reasons.")
@JSON
def status(name: str | None, set_aside: bool, as_json: bool) -> None:
    """Show how far a shelf is filled: documents, workers, failures and what was spent.

    Without NAME, all shelves are shown that were given a folder or several workers.
    """
    with existing_library(settings_of({})) as library:
        if name is not None and library.corpora.of((shelf := library.shelves.find(name)).id) is None and not as_json:
            echo(f"{shelf.name}: {counted(shelf.documents, 'document')}; no others wait to be read")
            return
        rows = library.corpora.all() if name is None else [library.corpora.find(name)]
        if not rows:
            echo("no shelf is being filled; start with: readagent shelf add NAME FOLDER", err=True)
        for filling in (Filling(library, row.name) for row in rows):
            if set_aside:
                _show_set_aside(filling, as_json)
            elif as_json:
                print_json(filling_record(filling))
            else:
                report(filling_record(filling))


def _show_set_aside(filling: Filling, as_json: bool) -> None:
    for row in filling.sources(state="set aside"):
        if as_json:
            print_json(record(FailureRecord, row))
        else:
            tried = "tried once" if row.tries == 1 else f"{row.tries} tries"
            echo(f"{failure_line(row.source, row.reason)} ({row.kind}, {tried})")


@command.command(
    epilog="\b\nExamples:\n  readagent shelf retry contracts\n  readagent shelf retry contracts --kind LoadError"
)
@click.argument("name", shell_complete=complete_shelf)
@click.option("--kind", default="", metavar="NAME", help="Only documents that failed with this kind of error.")
def retry(name: str, kind: str) -> None:
    """Let documents that failed or were set aside wait again; `shelf add` reads them."""
    with existing_library(settings_of({})) as library:
        filling = Filling(library, library.corpora.find(name).name)
        count = filling.retry(kind=kind)
    echo(f"{counted(count, 'document')} will be tried again")
    if count:
        echo(f"now run: readagent shelf add {quote(filling.name)}", err=True)


@command.command(
    epilog="\b\nExamples:\n  readagent shelf export contracts -o contracts.jsonl\n"
    "  readagent shelf export contracts | jq .title"
)
@click.argument("name", shell_complete=complete_shelf)
@output_options("Write to this file instead of standard output.")
def export(name: str, output: Path | None) -> None:
    """Write a line of JSON for each document: its source, metadata, title, card, pages and gists.

    `readagent export --shelf` writes a file for each document.
    """
    with existing_library(settings_of({})) as library:
        export_to_one_file(library, name, output)


def _shelves(library: Library, as_json: bool) -> None:
    rows = library.shelves.all()
    if as_json:
        print_json([record(ShelfInList, row) for row in rows])
    elif not rows:
        echo("there are no shelves yet; create one with: readagent shelf add NAME FILE", err=True)
    for row in () if as_json else rows:
        echo(f"{row.name}: {counted(row.documents, 'document')}, {counted(row.questions, 'question')} asked")


@command.command(
    epilog="""\b
Examples:
  readagent shelf ask contracts "Who pays for repairs?"
  readagent shelf ask contracts "Which of them ends first?" --compare
  readagent shelf ask novels "In which does a house burn?" --documents 6
"""
)
@click.argument("name", shell_complete=complete_shelf)
@click.argument("question")
@shelf_question_options
def ask(name: str, question: str, **flags: Any) -> None:
    """Ask the documents on a shelf. The model chooses documents by their cards, then opens pages in them."""
    ask_shelf(name, question, flags)


@command.command(
    epilog="\b\nExamples:\n  readagent shelf remove contracts lease.pdf\n  readagent shelf remove contracts --yes"
)
@click.argument("name", shell_complete=complete_shelf)
@click.argument("document", required=False, shell_complete=complete_document)
@click.option("--list", "only_list", is_flag=True, help="Only forget what is to be read, and what failed.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation before removing a shelf.")
def remove(name: str, document: str | None, only_list: bool, yes: bool) -> None:
    """Remove a document from a shelf, or the shelf itself. The documents stay in the library."""
    with existing_library(settings_of({})) as library:
        shelf = library.shelves.find(name)
        if document is not None:
            row = library.find_document(document)
            if all(card.document != row.id for card in library.shelves.cards(shelf.name)):
                raise NotInLibraryError(f"{row.name} is not on the shelf {shelf.name!r}")
            library.shelves.take_off(shelf.name, row.id)
            echo(f"removed {row.name} from the shelf {shelf.name}")
            return
        library.corpora.check_free(shelf.id)
        what, number = f"the shelf {shelf.name}", shelf.documents
        if only_list:
            what, number = (
                f"the list of the shelf {shelf.name}",
                library.corpora.progress(library.corpora.find(name)).total,
            )
        if not may_remove(what, counted(number, "document"), yes=yes):
            return
        if only_list:
            library.corpora.remove(library.corpora.find(name))
        else:
            library.shelves.remove(shelf.name)
    echo(f"removed {what}")
