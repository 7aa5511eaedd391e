"""`readagent regist`: have the gists of pages made anew by the model."""

from __future__ import annotations

from typing import Any

import click

from readagent.cli.known import known_memory
from readagent.cli.options import JSON, TASK, budget_options, model_options
from readagent.cli.output import memory_record, print_json, tell_fallbacks
from readagent.cli.pages import heading, numbers, print_gist, record
from readagent.cli.progress import Progress
from readagent.cli.session import agent_for


@click.command(
    epilog="""\b
Examples:
  readagent regist novel.txt 3
  readagent regist novel.txt 3 --note "keep the dates"
  readagent regist contract.pdf 3-5 9 --model openai/gpt-4.1 --json

What is made anew is kept when the text is read again; `readagent show --unpin` lets it go.
"""
)
@click.argument("document")
@click.argument("pages", nargs=-1, required=True, metavar="PAGE...")
@click.option("--note", default="", metavar="TEXT", help="What matters this time, such as: keep the dates.")
@TASK
@model_options
@budget_options
@JSON
def command(document: str, pages: tuple[str, ...], note: str, task: str, as_json: bool, **flags: Any) -> int:
    """Make the gists of pages anew, better than they are. A PAGE is a number, or a range such as 3-5.

    The model sees each page, the gist that is not good enough, and your note. Where it gives nothing usable, the gist
    stays as it is, and the exit code is 1.
    """
    with agent_for(flags) as (agent, library):
        memory = known_memory(document, library, task)
        chosen = numbers(pages, memory)
        with Progress() as progress:
            better = agent.improve(memory, chosen, note=note, listen=progress)
        pinned = library.pinned(memory.document.id, task=task)
    changed = {number for number in chosen if better.gists[number] != memory.gists[number]}
    places = better.places()
    if as_json:
        told = [{**record(better, number, places[number], pinned), "changed": number in changed} for number in chosen]
        print_json({**memory_record(better), "page_list": told})
    else:
        for number in (number for number in chosen if number in changed):
            click.echo(heading(better, number, places[number], pinned))
            print_gist(better, number)
    tell_fallbacks(better.trace.fallbacks)
    return 0 if len(changed) == len(chosen) else 1
