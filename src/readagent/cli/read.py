"""`readagent read`: read documents and keep their gists."""

from __future__ import annotations

from typing import Any

import click

from readagent.cli.options import JSON, budget_options, model_options, reading_options
from readagent.cli.output import memory_record, print_json, summary, tell_fallbacks
from readagent.cli.progress import Progress
from readagent.cli.session import agent_for
from readagent.core.memory import GistMemory
from readagent.errors import LoadError
from readagent.loaders import load
from readagent.sync import ReadAgent


@click.command(
    epilog="""\b
Examples:
  readagent read novel.txt
  readagent read meeting.txt --preset meetings --model openai/gpt-4.1-mini
  cat notes.txt | readagent read - --title "My notes"

Reading again is free, and a reading that was stopped goes on where it was.
"""
)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--title", default="", help="What to call the document.")
@reading_options
@model_options
@budget_options
@JSON
def command(sources: tuple[str, ...], title: str, as_json: bool, **flags: Any) -> int:
    """Read documents: pause where it is natural, and keep the gist of each page.

    A SOURCE is a text file, or - for standard input.
    """
    failed = 0
    with agent_for(flags) as (agent, _):
        for source in sources:
            try:
                memory = _read(source, title, agent)
            except LoadError as error:
                if len(sources) == 1:
                    raise
                failed += 1
                click.echo(f"skipped {source}: {error}", err=True)
                continue
            if as_json:
                print_json(memory_record(memory))
            else:
                click.echo(summary(memory))
            tell_fallbacks(memory.trace.fallbacks)
    if failed:
        click.echo(f"{len(sources) - failed} of {len(sources)} documents were read", err=True)
    return 1 if failed else 0


def _read(source: str, title: str, agent: ReadAgent) -> GistMemory:
    document = load(source, title=title)
    with Progress() as progress:
        return agent.read(document, listen=progress)
