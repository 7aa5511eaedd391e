"""`readagent domain`: instructions for kinds of text, as used by `--domain`."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten

import click

from readagent.cli.groups import NearestGroup
from readagent.cli.options import JSON, settings_of
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.cli.wrapping import padded
from readagent.domains import domain, domains
from readagent.errors import UsageError


@click.group(
    cls=NearestGroup,
    name="domain",
    epilog="\b\nExamples:\n  readagent domain list\n  readagent domain show law\n"
    "  readagent read lease.pdf --domain law",
)
def command() -> None:
    """List and show domains: instructions on what gists of a kind of text must keep.

    A domain is a text file of a few sentences. To add your own, put NAME.txt into the folder `domains` of
    READAGENT_HOME and use `--domain NAME`.
    """


@command.command(name="list", epilog="\b\nExamples:\n  readagent domain list\n  readagent domain list --json")
@JSON
def list_domains(as_json: bool) -> None:
    """List the built-in domains and your own."""
    home = settings_of({}).home
    records = []
    for name, path in domains(home).items():
        try:
            records.append(_record(name, path, domain(name, home), home))
        except UsageError as error:
            echo(f"note: {error}", err=True)
    if as_json:
        print_json(records)
        return
    for record in records:
        yours = " (yours)" if record["yours"] else ""
        echo(f"{padded(str(record['name']), 12)}{shorten(str(record['instructions']), 80, placeholder=' …')}{yours}")
    echo(f"to add your own, put NAME.txt into {home / 'domains'}", err=True)


@command.command(
    epilog="\b\nExamples:\n  readagent domain show law\n  readagent domain show law > contracts.txt\n"
    "  readagent read lease.pdf --domain contracts.txt"
)
@click.argument("name", metavar="NAME|FILE")
@JSON
def show(name: str, as_json: bool) -> None:
    """Show the instructions of a domain."""
    home = settings_of({}).home
    instructions = domain(name, home)
    if as_json:
        print_json(_record(name, domains(home).get(name, Path(name)), instructions, home))
    else:
        echo(instructions)


def _record(name: str, path: Path, instructions: str, home: Path) -> dict[str, object]:
    return {"name": name, "yours": path.parent == home / "domains", "path": str(path), "instructions": instructions}
