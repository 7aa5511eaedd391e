"""`readagent shelf`: documents that are asked together."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from readagent.cli.commands.read import Sitting, each_source
from readagent.cli.known import document_of, library_of
from readagent.cli.options import (
    JSON,
    budget_options,
    model_options,
    reading_options,
    says_how_to_read,
    settings_of,
    source_options,
)
from readagent.cli.output import counted, print_json
from readagent.cli.questions import asked_of
from readagent.cli.session import agent_for
from readagent.cli.shelf_answer import ask_shelf, show_card
from readagent.core.plan import LookUp
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import Library
from readagent.loaders import is_address
from readagent.sync import Shelf


@click.group(
    name="shelf",
    epilog="\b\nExamples:\n  readagent shelf new contracts\n  readagent shelf add contracts leases/\n"
    '  readagent shelf ask contracts "Which of them ends first?" --compare',
)
def command() -> None:
    """Make shelves, put documents on them, and ask all of them at once."""


@command.command(epilog="\b\nExamples:\n  readagent shelf new contracts")
@click.argument("name")
def new(name: str) -> None:
    """Make a new shelf."""
    with library_of(settings_of({})) as library:
        made = library.shelves.new(name)
    click.echo(f"made the shelf {made.name}")


@command.command(
    epilog="""\b
Examples:
  readagent shelf add contracts lease.pdf loan.docx
  readagent shelf add contracts contracts/ --kind contract
  readagent shelf add novels middlemarch

What was not read is read first. A newer version of a file takes the place of the older one.
"""
)
@click.argument("name")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--kind", default="", metavar="TEXT", help="What kind of texts these are, such as contract.")
@source_options
@reading_options
@model_options
@budget_options
@JSON
def add(name: str, sources: tuple[str, ...], kind: str, as_json: bool, **flags: Any) -> int:
    """Put documents on a shelf, each with a card that says in short what is in it.

    A SOURCE is a file, a folder (each file in it), an address on the web, - for standard input, or the title, file
    name or id of something in the library.
    """
    with agent_for(flags) as (agent, library):
        shelf = Shelf(agent, library.shelves.find(name).name)
        put = partial(shelf.add, kind=kind)
        sitting = Sitting(agent, library, "", as_json, flags, put=put, recall=not says_how_to_read(flags))

        def one(source: str) -> None:
            if _is_source(source):
                sitting.read(source)
            else:
                sitting.take(document_of(source, library), source)

        code = each_source(sources, one)
        standing = len(shelf.cards())
    click.echo(f"{counted(standing, 'document')} on the shelf {shelf.name}", err=True)
    return code


def _is_source(name: str) -> bool:
    """Whether something to be read lies there, or looks as if it should, and not a name in the library is meant."""
    return name == "-" or is_address(name) or Path(name).expanduser().exists() or bool(Path(name).suffix)


@command.command(name="list", epilog="\b\nExamples:\n  readagent shelf list\n  readagent shelf list contracts --json")
@click.argument("name", required=False)
@JSON
def list_shelves(name: str | None, as_json: bool) -> None:
    """List the shelves, or the cards of the documents on one."""
    with library_of(settings_of({})) as library:
        if name is None:
            _shelves(library, as_json)
            return
        shelf = library.shelves.find(name)
        cards = library.shelves.cards(shelf.name)
    if as_json:
        print_json([
            {"document": card.document, "title": card.title, "kind": card.kind, "card": card.text,
             "words": card.words, "card_source": card.origin}
            for card in cards
        ])  # fmt: skip
    elif not cards:
        click.echo(f"nothing stands on this shelf yet; begin with: readagent shelf add {shelf.name} FILE", err=True)
    for card in () if as_json else cards:
        show_card(card)


def _shelves(library: Library, as_json: bool) -> None:
    rows = library.shelves.all()
    if as_json:
        print_json([{"name": row.name, "documents": row.documents, "questions": row.questions,
                     "made": row.made.isoformat()} for row in rows])  # fmt: skip
    elif not rows:
        click.echo("there are no shelves yet; make one with: readagent shelf new NAME", err=True)
    for row in () if as_json else rows:
        click.echo(f"{row.name}: {counted(row.documents, 'document')}, {counted(row.questions, 'question')} asked")


@command.command(
    epilog="""\b
Examples:
  readagent shelf ask contracts "Who owes whom an insurance?"
  readagent shelf ask contracts "Which of them ends first?" --compare
  readagent shelf ask novels "In which of them is a house burnt down?" --documents 6
"""
)
@click.argument("name")
@click.argument("question")
@click.option("--compare", is_flag=True, help="Ask each chosen document for one line, and answer from the lines.")
@click.option("--documents", type=click.IntRange(1), metavar="N", help="Documents read, at most (4; compared: 20).")
@click.option("-o", "--option", "options", multiple=True, metavar="TEXT", help="An option to choose from; repeatable.")
@click.option("--claim", is_flag=True, help="The question is a claim: is it true?")
@click.option("--look-up", type=click.Choice(get_args(LookUp)), help="How pages are reopened.")
@click.option("--max-pages", type=click.IntRange(0), metavar="N", help="Pages reopened, at most.")
@click.option("--quotes/--no-quotes", default=None, help="Ask for quotes and check them (on).")
@model_options
@budget_options
@JSON
def ask(
    name: str, question: str, compare: bool, documents: int | None, options: tuple[str, ...], claim: bool,
    look_up: Any, max_pages: int | None, quotes: bool | None, as_json: bool, **flags: Any,
) -> None:  # fmt: skip
    """Ask the documents on a shelf. Those that bear on the question are chosen from their cards, and then read."""
    asked = asked_of(question, options, claim)
    ask_shelf(name, asked, flags, as_json=as_json, compare=compare, documents=documents, look_up=look_up,
              max_pages=max_pages, quotes=quotes)  # fmt: skip


@command.command(
    epilog="\b\nExamples:\n  readagent shelf remove contracts lease.pdf\n  readagent shelf remove contracts --yes"
)
@click.argument("name")
@click.argument("document", required=False)
@click.option("-y", "--yes", is_flag=True, help="Do not ask before a whole shelf is removed.")
def remove(name: str, document: str | None, yes: bool) -> None:
    """Take a document off a shelf, or take the shelf away. The documents stay in the library."""
    with library_of(settings_of({})) as library:
        shelf = library.shelves.find(name)
        if document is not None:
            row = library.find_document(document)
            if all(card.document != row.id for card in library.shelves.cards(shelf.name)):
                raise NotInLibraryError(f"{row.name} does not stand on the shelf {shelf.name!r}")
            library.shelves.take_off(shelf.name, row.id)
            click.echo(f"took {row.name} off the shelf {shelf.name}")
            return
        if not yes:
            if sys.stdin is None or not sys.stdin.isatty():
                raise UsageError(f"the shelf {shelf.name} was not removed: there is nobody to ask", hint="say --yes")
            if not click.confirm(f"Remove the shelf {shelf.name} ({counted(shelf.documents, 'document')})?"):
                click.echo(f"the shelf {shelf.name} was not removed", err=True)
                return
        library.shelves.remove(shelf.name)
    click.echo(f"removed the shelf {shelf.name}")
