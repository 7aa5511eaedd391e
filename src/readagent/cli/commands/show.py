"""`readagent show`: the gists of a document, or pages next to their gists."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import click

from readagent.cli import pinning
from readagent.cli.completing import complete_document
from readagent.cli.documents import existing_library, known_memory
from readagent.cli.options import JSON, TASK, settings_of
from readagent.cli.output import print_json, summary
from readagent.cli.pages import at_place, gist_of, heading, numbers, side_by_side
from readagent.cli.screen import echo_paged, style
from readagent.core.memory import GistMemory
from readagent.domains import domain_of
from readagent.library import Library
from readagent.records.documents import memory_record, page_records
from readagent.settings import Settings


@click.command(
    epilog="""\b
Examples:
  readagent show novel.txt
  readagent show novel.txt --page 3
  readagent show novel.txt --page 3-5,9
  readagent show paper.pdf --at "p. 57"
  readagent show novel.txt --json | jq '.page_list[0].gist'
  readagent show novel.txt --page 3 --edit
  readagent show novel.txt --page 3 --gist - < gist.txt
  readagent show novel.txt --page 3-5 --pin

A gist that you write or pin stays when the document is read again, until you --unpin it.
"""
)
@click.argument("document", shell_complete=complete_document)
@click.option(
    "-p",
    "--page",
    "--pages",
    "pages",
    multiple=True,
    metavar="N,N-M",
    help="Show these pages, such as 3,5-7, next to their gists.",
)
@click.option(
    "--at",
    "places",
    multiple=True,
    metavar="PLACE",
    help='Show the pages at a place in the source, such as "p. 57", "Chapter 4", 0:41:07 or reader.py:12.',
)
@click.option("--all", "everything", is_flag=True, help="Show all pages next to their gists.")
@click.option("--edit", is_flag=True, help="Edit the gist of a page in $EDITOR, and pin it.")
@click.option("--gist", metavar="TEXT", help="Set and pin the gist of a page; - for standard input.")
@click.option("--pin", is_flag=True, help="Pin the gists of these pages.")
@click.option("--unpin", is_flag=True, help="Unpin the gists of these pages; the previous gists are restored.")
@TASK
@JSON
def command(
    document: str, pages: tuple[str, ...], places: tuple[str, ...], everything: bool, task: str, as_json: bool,
    **pin: Any,
) -> None:  # fmt: skip
    """Show the gists of a document, or pages next to their gists. Pages are numbered from 1.

    DOCUMENT is the title, file name or id of a document in the library.
    """
    pinning.check({f"--{name}": given not in (None, False) for name, given in pin.items()}, pages + places)
    settings = settings_of({})
    with existing_library(settings) as library:
        memory = known_memory(document, library, task)
        chosen = list(dict.fromkeys([*numbers(pages, memory), *(n for one in places for n in at_place(memory, one))]))
        memory, changed = _changed(memory, chosen, library, settings, **pin)
        pinned = library.pinned(memory.document.id, task=task)
    domain = domain_of(memory.plan.instructions, settings.home)
    shown, begins = chosen or list(range(len(memory.pages))), memory.places()
    in_full = (bool(chosen) or everything) and not changed
    if as_json:
        records = page_records(memory, shown, pinned=pinned, with_text=in_full)
        print_json(memory_record(memory), domain=domain, page_list=records)
        return
    written = [
        f"{heading(memory, number, begins[number], pinned)}\n{(side_by_side if in_full else gist_of)(memory, number)}"
        for number in shown
    ]
    head = [] if changed else ["\n".join([style(summary(memory), bold=True), *_how(memory, domain)])]
    echo_paged("\n\n".join([*head, *written]))


def _changed(
    memory: GistMemory, chosen: list[int], library: Library, settings: Settings,
    edit: bool, gist: str | None, pin: bool, unpin: bool,
) -> tuple[GistMemory, bool]:  # fmt: skip
    """Return the memory after the requested change, and whether one was requested."""
    if edit:
        return pinning.edit(memory, pinning.only(chosen), library, settings.home), True
    if gist is not None:
        return pinning.rewrite(memory, pinning.only(chosen), pinning.given_text(gist), library), True
    if pin or unpin:
        return (pinning.pin if pin else pinning.unpin)(memory, chosen, library), True
    return memory, False


def _how(memory: GistMemory, domain: str) -> list[str]:
    """Return the task, the domain and the language of the gists, if any."""
    plan = memory.plan
    kind = domain or shorten(plan.instructions, 80)
    about = {"read for": plan.task, "domain": kind, "gists in": plan.gist_language}
    return [f"{name}: {value}" for name, value in about.items() if value]
