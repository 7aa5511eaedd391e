"""`readagent shelf`: groups of documents that are asked together."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote
from typing import Any

import click

from readagent.cli.agents import agent_for_documents
from readagent.cli.completing import complete_document, complete_shelf
from readagent.cli.documents import document_of, existing_library, is_source, library_of
from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, agent_options, says_how_to_read, settings_of, source_options
from readagent.cli.output import counted, print_json
from readagent.cli.reading import SourceReader
from readagent.cli.screen import echo
from readagent.cli.shelf_answer import ask_shelf, shelf_question_options, show_card
from readagent.cli.shelves import shelf_to_fill
from readagent.cli.writing import may_remove
from readagent.errors import NotInLibraryError
from readagent.library import Library
from readagent.loaders import Loaded, Skipped
from readagent.records import plain, record
from readagent.records.answers import ShelfInList, card_records


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
  readagent shelf add contracts contracts/ --kind contract
  readagent shelf add novels middlemarch

Documents that have not been read yet are read first. A new version of a file replaces the old one.
"""
)
@click.argument("name", shell_complete=complete_shelf)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=complete_document)
@click.option("--kind", default="", metavar="TEXT", help="Kind of text, such as contract.")
@source_options
@agent_options
@JSON
def add(name: str, sources: tuple[str, ...], kind: str, as_json: bool, **flags: Any) -> int:
    """Add documents to a shelf, which is created if needed. Each gets a card with a short summary.

    SOURCE is a file, a folder (every file in it), a URL, - for standard input, or the title, file name or id of a
    document in the library.
    """
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
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation before removing a shelf.")
def remove(name: str, document: str | None, yes: bool) -> None:
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
        library.shelves.check_free(shelf.id)
        if not may_remove(f"the shelf {shelf.name}", counted(shelf.documents, "document"), yes=yes):
            return
        library.shelves.remove(shelf.name)
    echo(f"removed the shelf {shelf.name}")
