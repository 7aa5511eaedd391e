"""Writes the `--help` of every command into docs/command-line.md: `python docs/generate.py`, or `--check`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from readagent.cli import app

PAGE = Path(__file__).parent / "command-line.md"
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


def written(page: str) -> str:
    """The page with what stands between the markers written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    blocks = (f"### {name}\n\n```text\n{text}\n```\n" for name, text in helps(app, "readagent"))
    return f"{before}{BEGIN}\n\n" + "\n".join(blocks) + f"\n{END}{after}"


def main(arguments: list[str]) -> int:
    """1 where the page was asked to be checked and is out of date."""
    page = PAGE.read_text("utf-8")
    new = written(page)
    if "--check" in arguments:
        return int(new != page)
    PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
