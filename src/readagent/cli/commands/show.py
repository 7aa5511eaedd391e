"""`readagent show`: the gists of a document, or gist and page side by side."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

import click

from readagent.cli import pinning
from readagent.cli.known import known_memory, library_of
from readagent.cli.options import JSON, TASK, settings_of
from readagent.cli.output import memory_record, print_json, summary
from readagent.cli.pages import heading, numbers, print_beside, print_gist, record
from readagent.core.memory import GistMemory
from readagent.domains import domain_of
from readagent.library import Library
from readagent.settings import Settings


@click.command(
    epilog="""\b
Examples:
  readagent show novel.txt
  readagent show novel.txt --page 3
  readagent show novel.txt --page 3-5 --page 9
  readagent show novel.txt --json | jq '.page_list[0].gist'
  readagent show novel.txt --page 3 --edit
  readagent show novel.txt --page 3 --gist - < gist.txt
  readagent show novel.txt --page 3-5 --pin

A gist that you write or pin is kept when the text is read again, until you --unpin it.
"""
)
@click.argument("document")
@click.option("-p", "--page", "pages", multiple=True, metavar="N|N-M", help="Show these pages beside their gists.")
@click.option("--all", "everything", is_flag=True, help="Show all pages beside their gists.")
@click.option("--edit", is_flag=True, help="Write the gist of a page anew, in the editor that EDITOR names.")
@click.option("--gist", metavar="TEXT", help="Let this be the gist of a page; - for what is on standard input.")
@click.option("--pin", is_flag=True, help="Keep the gists of these pages as they are.")
@click.option("--unpin", is_flag=True, help="Let fixed gists go; those that were there before come back.")
@TASK
@JSON
def command(document: str, pages: tuple[str, ...], everything: bool, task: str, as_json: bool, **pin: Any) -> None:
    """Show the gists of a document, or pages beside their gists. Pages are numbered from 0."""
    pinning.check({f"--{name}": given not in (None, False) for name, given in pin.items()}, pages)
    settings = settings_of({})
    with library_of(settings) as library:
        memory = known_memory(document, library, task)
        chosen = numbers(pages, memory)
        memory, changed = _fixed(memory, chosen, library, settings, **pin)
        pinned = library.pinned(memory.document.id, task=task)
    domain = domain_of(memory.plan.instructions, settings.home)
    shown, places = chosen or list(range(len(memory.pages))), memory.places()
    in_full = (bool(chosen) or everything) and not changed
    if as_json:
        records = [record(memory, number, places[number], pinned, with_text=in_full) for number in shown]
        print_json({**memory_record(memory), "domain": domain, "page_list": records})
        return
    if not changed:
        click.echo("\n".join([click.style(summary(memory), bold=True), *_how(memory, domain), ""]))
    for place, number in enumerate(shown):
        click.echo(("\n" if place else "") + heading(memory, number, places[number], pinned))
        (print_beside if in_full else print_gist)(memory, number)


def _fixed(
    memory: GistMemory, chosen: list[int], library: Library, settings: Settings,
    edit: bool, gist: str | None, pin: bool, unpin: bool,
) -> tuple[GistMemory, bool]:  # fmt: skip
    """The memory as it is after what was asked for, and whether anything was."""
    if edit:
        return pinning.edit(memory, pinning.only(chosen), library, settings.home), True
    if gist is not None:
        return pinning.rewrite(memory, pinning.only(chosen), pinning.given_text(gist), library), True
    if pin or unpin:
        return (pinning.pin if pin else pinning.unpin)(memory, chosen, library), True
    return memory, False


def _how(memory: GistMemory, domain: str) -> list[str]:
    """For what the gists were made, and what they were to keep, where that was said."""
    task, told = memory.plan.task, domain or shorten(memory.plan.instructions, 80)
    return [line for line, said in ((f"read for: {task}", task), (f"domain: {told}", told)) if said]
