"""Commands with help in layers: `--help` has a command's own options, `--help-all` also those that commands share.

A group answers a mistyped name with the nearest one, and gives its commands `--help-all`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

import click

from readagent.advice import as_options
from readagent.errors import ReadAgentError

_ALL = "readagent.help_all"  # in the context of a command whose help leaves nothing out
_MORE = "\n\nModel, budget and reading options: `readagent help options`; all: --help-all"
_SENTENCE = 300  # characters that no first sentence has
_GROUPS = (
    "",
    "Model",
    "Budget and limits",
    "Reading",
    "Sources",
    "Look-up",
)  # of shared options; the first is a command's own


class Shared(click.Option):
    """An option of several commands, in a group such as "Reading". `--help` leaves it out, unless it is ``brief``."""

    def __init__(self, *args: Any, group: str, brief: bool = False, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.group, self.brief = group, brief

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names and the help, if they are to be shown."""
        return super().get_help_record(ctx) if self.brief or shows_all(ctx) else None


class NearestGroup(click.Group):
    """A group whose error for a name that it does not have says which command may be meant.

    Its list of commands has whole sentences, wrapped where click would cut them off.
    """

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of this name, with help in layers."""
        command = super().get_command(ctx, name)
        return None if command is None else layered(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the first sentence of its help."""
        found = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(_SENTENCE)) for name, one in found if not one.hidden])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; fail with the nearest name if there is none."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], names, 1)
            meant = near[0] if near else f"read {args[0]}" if os.path.exists(args[0]) else ""
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {meant!r}?" if meant else ""))
        return super().resolve_command(ctx, args)


def layered(command: click.Command) -> click.Command:
    """Return a command with `--help-all`, and with a line in its help that names what the help leaves out."""
    if not any("--help-all" in one.opts for one in command.params):
        if any(isinstance(one, Shared) and not one.brief for one in command.params):
            command.epilog = cleandoc(command.epilog or "") + _MORE
        command.params.append(
            Shared(
                ["--help-all"], group="", is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
                help="Show all options and exit.",
            )
        )  # fmt: skip
    return command


def _show_all(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(full_help(context))
        context.exit()


def shows_all(context: click.Context) -> bool:
    """Whether the help that is being written leaves nothing out."""
    return bool(context.meta.get(_ALL))


def full_help(context: click.Context) -> str:
    """Return the help of a command with all options, in groups."""
    command, formatter = context.command, context.make_formatter()
    context.meta[_ALL] = True
    command.format_usage(context, formatter)
    _write_text(formatter, (command.help or "").replace("\f", ""))
    _write_options(context, formatter, command.get_params(context))
    if isinstance(command, click.Group):
        command.format_commands(context, formatter)
    _write_text(formatter, (command.epilog or "").removesuffix(_MORE))
    return formatter.getvalue().rstrip("\n")


def _write_text(formatter: click.HelpFormatter, text: str) -> None:
    """Write paragraphs of help."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(cleandoc(text))


def _write_options(context: click.Context, formatter: click.HelpFormatter, options: Sequence[click.Parameter]) -> None:
    """Write a section for each group of options; those of no group come first."""
    for group in _GROUPS:
        members = [one for one in options if (one.group if isinstance(one, Shared) else "") == group]
        records = [one.get_help_record(context) for one in members if isinstance(one, click.Option)]
        if shown := [record for record in records if record]:
            with formatter.section(group or "Options"):
                formatter.write_dl(shown)


def hint_of(error: ReadAgentError) -> str:
    """Return the hint of an error as the command line shows it."""
    return as_options(error.hint)
