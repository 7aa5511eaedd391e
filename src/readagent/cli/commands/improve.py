"""`readagent improve`: rewrite the gists of some pages."""

from __future__ import annotations

from typing import Any

import click

from readagent.cli.agents import agent_for
from readagent.cli.completing import complete_document
from readagent.cli.documents import known_memory
from readagent.cli.options import JSON, TASK, budget_options, model_options
from readagent.cli.output import print_json, report_fallbacks, report_spent
from readagent.cli.pages import gist_of, heading, numbers
from readagent.cli.progress import Progress
from readagent.cli.screen import echo
from readagent.records import plain
from readagent.records.documents import memory_record, page_records


@click.command(
    epilog="""\b
Examples:
  readagent improve novel.txt --pages 3
  readagent improve novel.txt --pages 3,5 --note "keep the dates"
  readagent improve contract.pdf --pages 3-5,9 --model openai/gpt-4.1 --json

The new gists are pinned: they stay when the document is read again. To restore an old one: readagent show
DOCUMENT --page N --unpin
"""
)
@click.argument("document", shell_complete=complete_document)
@click.option(
    "-p",
    "--pages",
    "--page",
    "pages",
    multiple=True,
    required=True,
    metavar="N,N-M",
    help="Pages to improve, such as 3,5-7.",
)
@click.option("--note", default="", metavar="TEXT", help="Tell the model what matters, such as: keep the dates.")
@TASK
@model_options
@budget_options
@JSON
def command(document: str, pages: tuple[str, ...], note: str, task: str, as_json: bool, **flags: Any) -> int:
    """Rewrite the gists of some pages.

    DOCUMENT is the title, file name or id of a document in the library. The model sees each page, its current gist and
    your note. If it returns nothing usable for a page, the gist stays as it is, and the exit code is 1.
    """
    with agent_for(flags, existing=True) as (agent, library):
        memory = known_memory(document, library, task)
        chosen = numbers(pages, memory)
        with Progress() as progress:
            better = agent.improve(memory, chosen, note=note, listen=progress)
        pinned = library.pinned(memory.document.id, task=task)
    changed = {number for number in chosen if better.gists[number] != memory.gists[number]}
    places = better.places()
    if as_json:
        shown = page_records(better, chosen, pinned=pinned)
        records = [{**plain(page), "changed": page.number in changed} for page in shown]
        print_json(memory_record(better), page_list=records)
    else:
        for number in (number for number in chosen if number in changed):
            echo(heading(better, number, places[number], pinned))
            echo(gist_of(better, number))
    report_spent(better.trace.calls)
    report_fallbacks(better.trace.fallbacks)
    return 0 if len(changed) == len(chosen) else 1
