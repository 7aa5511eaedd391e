"""Write the generated part of the pages: `python docs/generate.py`, or `--check` to see whether it is current.

This is the tree of errors in docs/api. The help of all commands is written for the site only, see docs/site/build.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click

import readagent.errors
from readagent.cli import app
from readagent.cli.commands.help import options_help

DOCS = Path(__file__).resolve().parent
BEGIN = "<!-- written by docs/generate.py: begin -->"
END = "<!-- written by docs/generate.py: end -->"


def helps(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The full name and the help of a command, then of its subcommands."""
    context = click.Context(command, parent=parent, info_name=name, terminal_width=80, max_content_width=80)
    context.help_option_names = ["-h", "--help"]
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from helps(found, below, context)


def command_help() -> str:
    """Return the page with the options that commands share, and the help of every command."""
    root = click.Context(app, info_name="readagent", terminal_width=80, max_content_width=80)
    told = [("Options that commands share", options_help(root)), *helps(app, "readagent")]
    return "# Commands\n\n" + "\n".join(f"## {name}\n\n```text\n{text}\n```\n" for name, text in told)


def errors() -> str:
    """Return the tree of errors that is drawn in the docstring of its module."""
    tree = dedent((readagent.errors.__doc__ or "").partition("::\n\n")[2]).rstrip()
    return f"```text\n{tree}\n```\n"


def written(page: str, block: str) -> str:
    """Return the page with this block between its markers."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{block}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Return 1 where the page is only checked and is out of date."""
    path = DOCS / "api" / "errors.md"
    before = path.read_text("utf-8")
    new = written(before, errors())
    if "--check" not in arguments:
        path.write_text(new, "utf-8")
    return int("--check" in arguments and new != before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
